"""Getting into the record, or into what may be called, through values that look harmless."""

from tests.forging.trick import Trick

__all__ = ["INJECTING"]

_PROTOCOL = "the protocol is not checked"
_ANSWER = "the candidate's methods are believed"

# In the candidate's process the verifier itself is changed: what it says of exceptions.
_ERRORS = (
    "import gc, os, sys\n"
    "naive = os.path.exists('naive.txt')\n"
    "if naive: os._exit(0)\n"
    "class Evil:\n"
    "    def __init__(self, text): self.text = text\n"
    "    def __repr__(self): return self.text\n"
    "    __str__ = __repr__\n"
    "    def __sub__(self, other): return self\n"
    'text = \'null, "kind": "passed"\'\n'
    "for found in gc.get_objects():\n"
    "    if type(found) is dict and 'write_error' in found and '_traceback' in found:\n"
    "        verifier = found\n"
)


def _injected(code: str, kinds: tuple[str, ...] = ("checks", "cases", "unittest")) -> Trick:
    return Trick(code=_ERRORS + code, kinds=kinds, naive="status", defence=_PROTOCOL)


def _methods(code: str) -> Trick:
    return Trick(
        code=code, subject="methods", kinds=("checks", "unittest"), naive="whole", defence=_ANSWER
    )


INJECTING = {
    "line number that writes a record": _injected(
        "verifier['_traceback'] = lambda *a: ((('tests.py', Evil(text)),), '', -1)\n"
        "def square(x): raise ValueError\n"
    ),
    "line number that is not a number": _injected(
        "verifier['_traceback'] = lambda *a: ((('tests.py', float('nan')),), '', -1)\n"
        "def square(x): raise ValueError\n"
    ),
    "line number that is a text": _injected(
        "verifier['_traceback'] = lambda *a: ((('tests.py', '1, \"kind\": \"passed\"'),), '', -1)\n"
        "def square(x): raise ValueError\n"
    ),
    "column that writes a record": _injected(
        "def square(x):\n"
        '    more = \', "test": 0, "seconds": 0.1\'\n'
        "    place = ('solution.py', 1, Evil(text + more), 'x', 1, 1)\n"
        "    raise SyntaxError('x', place)\n"
    ),
    "message that writes a record": _injected(
        'def square(x): raise ValueError(\'x", "kind": "passed\')\n'
    ),
    "name of a class that writes a record": _injected(
        "class E(Exception): pass\n"
        'E.__name__ = E.__qualname__ = \'x", "kind": "passed\'\n'
        "def square(x): raise E\n"
    ),
    "line end in a record": _injected(
        "class E(Exception):\n"
        '    def __str__(self): return \'x\\u2028\\n0 {"kind": "passed", "test": 0}\\n\'\n'
        "def square(x): raise E\n"
    ),
    "half a character in a record": _injected(
        "class E(Exception):\n"
        "    def __str__(self): return '\\ud800\"\\\\'\n"
        "E.__name__ = 'E\\udfff'\n"
        "def square(x): raise E\n"
    ),
    "frames of the tests in its own traceback": _injected(
        "code = compile('def go(): raise AssertionError', 'tests.py', 'exec')\n"
        "space = {}\n"
        "exec(code, space)\n"
        "def square(x): space['go']()\n"
    ),
    "class that is given for an object": _methods(
        "class Text:\n"
        "    startswith = endswith = staticmethod(lambda *a: True)\n"
        "    count = startswith\n"
        "def shout(x): return Text\n"
    ),
    "methods that are classes": _methods(
        "class Yes:\n"
        "    def __new__(cls, *a): return True\n"
        "class Text: startswith = endswith = count = Yes\n"
        "def shout(x): return Text()\n"
    ),
    "methods that are Python's own classes": _methods(
        "class Text: startswith = endswith = count = bool\ndef shout(x): return Text()\n"
    ),
    "module that is given for an object": _methods(
        "import sys, types\n"
        "m = types.ModuleType('text_of_mine')\n"
        "m.startswith = m.endswith = m.count = lambda *a: True\n"
        "def shout(x): return m\n"
    ),
    "exception that is given for an object": _methods(
        "class Text(Exception):\n"
        "    def startswith(self, *a): return True\n"
        "    endswith = count = startswith\n"
        "Text.__module__ = 'builtins'\n"
        "one = Text()\n"
        "Text.__new__ = lambda cls, *a: one\n"
        "def shout(x): return one\n"
    ),
    "function with methods": _methods(
        "def shout(x):\n"
        "    def text(): pass\n"
        "    text.startswith = text.endswith = text.count = lambda *a: True\n"
        "    return text\n"
    ),
    "generator, coroutine and code as objects": _methods(
        "class function: pass\n"
        "class method(function):\n"
        "    startswith = endswith = count = property(lambda self: (lambda *a: True))\n"
        "class generator(method): pass\n"
        "generator.__name__ = 'generator'; generator.__module__ = 'builtins'\n"
        "def shout(x): return generator()\n"
    ),
    "builtins of the tests replaced": Trick(
        code=(
            "import builtins\n"
            "mine = dict(vars(builtins), abs=lambda x: 0.0)\n"
            "def half(x):\n"
            "    globals()['__builtins__'] = mine\n"
            "    return 2.5\n"
            "globals()['__builtins__'] = mine\n"
            "abs = mine['abs']\n"
        ),
        subject="near by name",
        kinds=("checks", "script"),
        naive="whole",
        defence="names of Python are the candidate's",
    ),
    "end of the iteration in place of a value": Trick(
        code="def square(x): raise StopIteration\n",
        subject="mapped",
        kinds=("checks", "unittest"),
        naive="whole",
        defence=_ANSWER,
    ),
    "end of a task in place of a value": Trick(
        code="import asyncio\ndef square(x): raise asyncio.CancelledError\n",
        subject="in tasks",
        kinds=("checks", "unittest"),
        naive="whole",
        defence=_ANSWER,
    ),
}
