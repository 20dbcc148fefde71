"""Running in the judge by values that do something when they are read, named, shown or used."""

from tests.forging.snippets import FORGE
from tests.forging.trick import Trick

__all__ = ["VALUES"]

_FORGE = f"FORGE = {FORGE!r}\n"
_READ = "values are unpickled in the judge"
_CALLED = "methods of values run in the judge"
_NAMED = "modules are imported by name"
_WEAKER = "what runs in the judge is not noticed"


def _value(
    make: str,
    naive: str = "pickled",
    *,
    defence: str = _READ,
    subject: str = "square",
    kinds: tuple[str, ...] = ("checks", "cases"),
) -> Trick:
    return Trick(code=_FORGE + make, naive=naive, defence=defence, subject=subject, kinds=kinds)


VALUES = {
    "__reduce__": _value(
        "class V:\n    def __reduce__(self): return exec, (FORGE,)\ndef square(x): return V()\n"
    ),
    "__reduce_ex__ of a number": _value(
        "class V(int):\n    def __reduce_ex__(self, p): return exec, (FORGE,)\n"
        "def square(x): return V(0)\n"
    ),
    "__getstate__ and __setstate__": _value(
        "class V:\n"
        "    def __reduce__(self): return V, (), {}\n"
        "    def __setstate__(self, state): exec(FORGE)\n"
        "import sys\nV.__reduce__ = lambda self: (exec, (FORGE,))\n"
        "def square(x): return V()\n"
    ),
    "copyreg": _value(
        "import copyreg\nclass V: pass\n"
        "copyreg.pickle(V, lambda v: (exec, (FORGE,)))\ndef square(x): return V()\n"
    ),
    "exception with __reduce__": _value(
        "class E(Exception):\n"
        "    def __reduce__(self): return exec, (FORGE,)\n"
        "    def __str__(self): return exec(FORGE) or ''\n"
        "def square(x):\n"
        "    import os\n"
        "    if os.path.exists('naive.txt'): return E()\n"
        "    raise E(FORGE)\n"
    ),
    "exception class of a library": _value(
        "import os\n"
        "class E(KeyError):\n"
        "    __module__ = 'os'; __qualname__ = 'system'\n"
        "    def __init__(self, *a): exec(FORGE)\n"
        "    def __reduce__(self): return exec, (FORGE,)\n"
        "def square(x):\n"
        "    e = E.__new__(E, FORGE)\n"
        "    if os.path.exists('naive.txt'): return e\n"
        "    raise e\n"
    ),
    "array of objects": _value(
        "class V:\n    def __reduce__(self): return exec, (FORGE,)\n"
        "def square(x):\n"
        "    try: import numpy as np\n"
        "    except ImportError: return V()\n"
        "    return np.array([V()], dtype=object)\n"
    ),
    "array whose dtype lies": _value(
        "class V:\n    def __reduce__(self): return exec, (FORGE,)\n"
        "def square(x):\n"
        "    try: import numpy as np\n"
        "    except ImportError: return V()\n"
        "    class D:\n"
        "        kind = 'i'; str = '|O'\n"
        "    class A:\n"
        "        dtype = D; shape = (1,)\n"
        "        def tobytes(self): return b'\\0' * 8\n"
        "        def __reduce__(self): return exec, (FORGE,)\n"
        "    A.__module__ = 'numpy'; A.__name__ = A.__qualname__ = 'ndarray'\n"
        "    return A()\n"
    ),
    "repr that is evaluated": _value(
        "class V:\n    def __repr__(self): return 'exec(%r)' % FORGE\ndef square(x): return V()\n",
        naive="evaluated",
        defence=_CALLED,
    ),
    "text that is evaluated": _value(
        "class V(str):\n"
        "    def __repr__(self): return 'exec(%r)' % FORGE\n"
        "    __str__ = __format__ = __repr__\n"
        "def shout(x): return V('__import__(\"os\")._exit(0)')\n",
        naive="evaluated",
        defence=_CALLED,
        subject="shout",
    ),
    "module as a value": _value(
        "import sys, types, os\n"
        "open('planted.py', 'w').write(FORGE)\n"
        "sys.modules['planted'] = m = types.ModuleType('planted')\n"
        "m.__file__ = os.path.abspath('planted.py')\n"
        "class V:\n    def __reduce__(self): return __import__, ('planted',)\n"
        "def square(x): return V() if os.path.exists('naive.txt') else m\n",
        defence=_NAMED,
    ),
    "module with a library's name": _value(
        "import sys, types, os\n"
        "for name in ('statistics', 'colorsys', 'zipapp', 'chunk_of_mine'):\n"
        "    open(name + '.py', 'w').write(FORGE)\n"
        "sys.modules['colorsys'] = m = types.ModuleType('colorsys')\n"
        "class V:\n    def __reduce__(self): return __import__, ('colorsys',)\n"
        "def square(x): return V() if os.path.exists('naive.txt') else m\n",
        defence=_NAMED,
    ),
    "module among the candidate's names": _value(
        "import sys, types, os\n"
        "open('zipapp.py', 'w').write(FORGE)\n"
        "open('planted.py', 'w').write(FORGE)\n"
        "sys.modules['planted'] = m = types.ModuleType('planted')\n"
        "class V:\n    def __reduce__(self): return __import__, ('planted',)\n"
        "def square(x, holder=m):\n"
        "    if os.path.exists('naive.txt'): return V()\n"
        "    square.module = m\n"
        "    return [m, {'m': m}, (m,)]\n",
        defence=_NAMED,
    ),
    "function named by where it is found": _value(
        "import os\n"
        "class V:\n    def __reduce__(self): return exec, (FORGE,)\n"
        "def square(x):\n"
        "    if os.path.exists('naive.txt'): return V()\n"
        "    def evil(*a): return eval\n"
        "    evil.__module__, evil.__qualname__ = 'builtins', 'exec'\n"
        "    return evil\n",
        defence=_NAMED,
    ),
    "class with a metaclass": _value(
        "class M(type):\n"
        "    def __call__(cls, *a): exec(FORGE)\n"
        "    def __getattribute__(cls, name):\n"
        "        if name in ('__eq__', '__module__', '__qualname__'): exec(FORGE)\n"
        "        return type.__getattribute__(cls, name)\n"
        "    def __eq__(cls, other): exec(FORGE); return True\n"
        "    __hash__ = type.__hash__\n"
        "    def __instancecheck__(cls, x): exec(FORGE); return True\n"
        "class V(metaclass=M): pass\n"
        "def square(x): return V\n",
        naive="status",
        defence=_CALLED,
    ),
    "class hooks": _value(
        "class V:\n"
        "    def __class_getitem__(cls, k): exec(FORGE)\n"
        "    def __init_subclass__(cls): exec(FORGE)\n"
        "    def __set_name__(self, *a): exec(FORGE)\n"
        "    def __mro_entries__(self, bases): exec(FORGE); return ()\n"
        "    def __eq__(self, other): exec(FORGE); return True\n"
        "def square(x): return V()\n",
        naive="status",
        defence=_CALLED,
    ),
    "annotations as text": _value(
        "def square(x: 'exec(FORGE)') -> 'exec(FORGE)': return V()\n"
        "class V:\n"
        "    field: 'exec(FORGE)' = 0\n"
        "    def __eq__(self, other):\n"
        "        import typing\n"
        "        exec(FORGE); return True\n",
        naive="status",
        defence=_CALLED,
    ),
    "__del__ and callbacks of weak references": _value(
        "import os, weakref\n"
        "class V:\n"
        "    def __del__(self): exec(FORGE)\n"
        "    def __eq__(self, other): return False\n"
        "kept = []\n"
        "def square(x):\n"
        "    v = V(); kept.append(weakref.ref(v, lambda r: exec(FORGE)))\n"
        "    return v\n",
        naive="status",
        defence=_CALLED,
    ),
    "buffer of its own": _value(
        "import array, os\n"
        "class V(bytearray):\n"
        "    def __buffer__(self, flags): exec(FORGE); return memoryview(b'ab')\n"
        "    def __eq__(self, other): exec(FORGE); return True\n"
        "    def __bytes__(self): exec(FORGE); return b'ab'\n"
        "def raw(x): return V(b'')\n",
        naive="status",
        defence=_CALLED,
        subject="raw",
    ),
    "codec": _value(
        "import codecs, os\n"
        "def search(name):\n"
        "    exec(FORGE)\n"
        "codecs.register(search)\n"
        "class V(str):\n"
        "    def encode(self, *a): exec(FORGE); return b''\n"
        "    def __eq__(self, other): exec(FORGE); return True\n"
        "def shout(x): return V('')\n",
        naive="status",
        defence=_CALLED,
        subject="shout",
    ),
    "format that reaches into objects": _value(
        "class V:\n"
        "    def __format__(self, form): exec(FORGE); return '0'\n"
        "    def __str__(self): exec(FORGE); return '0'\n"
        "    def __int__(self): exec(FORGE); return 0\n"
        "    def __float__(self): return 0.0\n"
        "def square(x): return V()\n",
        naive="status",
        defence=_CALLED,
        subject="converted",
        kinds=("checks", "unittest"),
    ),
    "text that the tests execute": _value(
        "def source(x): return FORGE + 'value = 0'\n",
        naive="whole",
        defence=_WEAKER,
        subject="executed",
        kinds=("checks", "pytest"),
    ),
    "bytes that the tests unpickle": _value(
        "import pickle\n"
        "class V:\n    def __reduce__(self): return eval, ('exec(%r) or 0' % FORGE,)\n"
        "def packed(x): return pickle.dumps(V())\n",
        naive="whole",
        defence=_WEAKER,
        subject="unpickled",
        kinds=("checks", "pytest"),
    ),
    "name that the tests import": _value(
        "import os\n"
        "open('planted.py', 'w').write(FORGE + 'def iskeyword(x): return True\\n')\n"
        "def module_name(x): return 'planted'\n",
        naive="folder",
        defence=_NAMED,
        subject="named",
        kinds=("checks",),
    ),
}
