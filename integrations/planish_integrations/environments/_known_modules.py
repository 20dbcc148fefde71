"""Modules whose distribution has another name, for the imports that generated code uses most.

Source: the projects' own pages in the Python Package Index, each of which names the module to
import. If several distributions contain a module, the one with the fewest system dependencies
is first. A module that is neither here nor installed is assumed to have the name of its
distribution, which holds for most of PyPI.
"""

from collections.abc import Mapping

__all__ = ["KNOWN_MODULES", "NAMESPACES"]

_PAIRS = """
Bio biopython
Crypto pycryptodome
Cryptodome pycryptodomex
Levenshtein Levenshtein python-Levenshtein
MySQLdb mysqlclient
OpenGL PyOpenGL
OpenSSL pyOpenSSL
PIL Pillow
PyPDF2 PyPDF2
Xlib python-xlib
_pytest pytest
_yaml PyYAML
absl absl-py
apiclient google-api-python-client
apscheduler APScheduler
attr attrs
bs4 beautifulsoup4
bson pymongo
charset_normalizer charset-normalizer
community python-louvain
cv2 opencv-python-headless opencv-python opencv-contrib-python-headless opencv-contrib-python
dateutil python-dateutil
distutils setuptools
django Django
dns dnspython
docx python-docx
dotenv python-dotenv
editor python-editor
faiss faiss-cpu faiss-gpu
fitz PyMuPDF
flask Flask
flask_cors flask-cors
flask_sqlalchemy Flask-SQLAlchemy
fuzzywuzzy fuzzywuzzy
git GitPython
github PyGithub
google.auth google-auth
google.cloud.bigquery google-cloud-bigquery
google.cloud.storage google-cloud-storage
google.generativeai google-generativeai
google.oauth2 google-auth
google.protobuf protobuf
googleapiclient google-api-python-client
grpc grpcio
haystack haystack-ai
igraph igraph
jaxlib jaxlib
jose python-jose
jwt PyJWT
kafka kafka-python
ldap python-ldap
ldap3 ldap3
llama_index llama-index
lxml lxml
magic python-magic
markdown Markdown
markdown_it markdown-it-py
matplotlib matplotlib
memcache python-memcached
mpl_toolkits matplotlib
multipart python-multipart
mysql.connector mysql-connector-python
nacl PyNaCl
OpenEXR OpenEXR
osgeo GDAL
paho paho-mqtt
peewee peewee
pkg_resources setuptools
pptx python-pptx
psycopg2 psycopg2-binary psycopg2
pycocotools pycocotools
pydantic_settings pydantic-settings
pylab matplotlib
pysam pysam
pythoncom pywin32
pywintypes pywin32
regex regex
rest_framework djangorestframework
rtree Rtree
ruamel.yaml ruamel.yaml
scipy scipy
sentence_transformers sentence-transformers
serial pyserial
setuptools setuptools
shapefile pyshp
skimage scikit-image
sklearn scikit-learn
skopt scikit-optimize
slugify python-slugify
socketio python-socketio
socks PySocks
speech_recognition SpeechRecognition
sqlalchemy SQLAlchemy
telegram python-telegram-bot
tensorflow tensorflow tensorflow-cpu
tlz toolz
umap umap-learn
usb pyusb
vtkmodules vtk
webview pywebview
werkzeug Werkzeug
win32api pywin32
win32com pywin32
wx wxPython
xdg pyxdg
yaml PyYAML
zmq pyzmq
"""

KNOWN_MODULES: Mapping[str, tuple[str, ...]] = {
    module: tuple(names) for module, *names in (line.split() for line in _PAIRS.split("\n") if line)
}
"""Module (dotted if several distributions share its first part) to distributions, best first."""

NAMESPACES: frozenset[str] = frozenset(
    {"azure", *(module.partition(".")[0] for module in KNOWN_MODULES if "." in module)}
)
"""First parts of module names that several distributions share."""
