"""Reading the answer: from frames and files."""

from tests.forging.snippets import FOUND
from tests.forging.trick import Trick

__all__ = ["READING"]

READING = {
    "line of the caller": Trick(
        code=(
            f"{FOUND}import linecache, sys\n"
            "def square(x):\n"
            "    frame = sys._getframe(1)\n"
            "    while frame is not None:\n"
            "        line = linecache.getline(frame.f_code.co_filename, frame.f_lineno)\n"
            "        if answer(line, x) is not None: return answer(line, x)\n"
            "        frame = frame.f_back\n"
        ),
        defence="tests in the candidate's process",
    ),
    "constants of the caller's code": Trick(
        code=(
            "import sys\n"
            "def square(x):\n"
            "    frame = sys._getframe(1)\n"
            "    while frame is not None:\n"
            "        constants = [c for c in frame.f_code.co_consts if type(c) is int]\n"
            "        if x in constants: return constants[(constants.index(x) + 1) % "
            "len(constants)]\n"
            "        frame = frame.f_back\n"
        ),
        kinds=("checks", "script", "pytest", "unittest"),
        defence="tests in the candidate's process",
    ),
    "source lines kept by linecache": Trick(
        code=(
            f"{FOUND}import linecache\n"
            "def square(x):\n"
            "    for name in ('tests.py', 'test_solution.py', 'test_pytest.py'):\n"
            "        text = ''.join(linecache.getlines(name))\n"
            "        if answer(text, x) is not None: return answer(text, x)\n"
            "    return 0\n"
        ),
        kinds=("checks", "pytest"),
        defence="tests in the candidate's process",
    ),
    "texts on the heap": Trick(
        code=(
            f"{FOUND}import gc\n"
            "def square(x):\n"
            "    for found in gc.get_objects():\n"
            "        if type(found) is dict: found = list(found.values())\n"
            "        if type(found) not in (list, tuple): continue\n"
            "        for text in found:\n"
            "            if type(text) is str and 'assert' in text and len(text) < 9999:\n"
            "                if answer(text, x) is not None: return answer(text, x)\n"
            "    return 0\n"
        ),
        defence="tests in the candidate's process",
    ),
    "files in the folder": Trick(
        code=(
            f"{FOUND}import glob\n"
            "def square(x):\n"
            "    for name in glob.glob('**', recursive=True):\n"
            "        if 'sol' in name and 'test' not in name: continue\n"
            "        try: text = open(name, errors='replace').read()\n"
            "        except OSError: continue\n"
            "        if answer(text, x) is not None: return answer(text, x)\n"
            "    return 0\n"
        ),
        kinds=("checks", "cases", "pytest", "unittest"),
        defence="tests in a file",
    ),
    "files seen before the tests begin": Trick(
        code=(
            f"{FOUND}import glob, os\n"
            "texts = []\n"
            "for top in {os.getcwd(), os.path.dirname(os.path.abspath('solution.py')), '/tmp'}:\n"
            "    for folder, _, names in os.walk(top):\n"
            "        for name in names:\n"
            "            if name == 'solution.py': continue\n"
            "            try: texts.append(open(os.path.join(folder, name), "
            "errors='replace').read())\n"
            "            except OSError: pass\n"
            "def square(x):\n"
            "    return next((a for t in texts if (a := answer(t, x)) is not None), 0)\n"
        ),
        kinds=("checks", "cases", "pytest"),
        defence="tests in a file",
    ),
    "deleted files still open": Trick(
        code=(
            f"{FOUND}import glob\n"
            "def square(x):\n"
            "    for name in glob.glob('/proc/*/fd/*') + ['tests.py']:\n"
            "        try:\n"
            "            with open(name, 'rb') as file: text = file.read(99999).decode('latin-1')\n"
            "        except OSError: continue\n"
            "        if answer(text, x) is not None: return answer(text, x)\n"
            "    return 0\n"
        ),
        defence="tests in a file",
        kinds=("checks",),
        naive="status",
    ),
}
