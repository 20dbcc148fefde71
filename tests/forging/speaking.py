"""Talking to the judge's process: messages, numbers and names that are not the candidate's."""

from tests.forging.snippets import FORGE
from tests.forging.trick import Trick

__all__ = ["SPEAKING"]

_TALK = (
    "import gc, os\n"
    f"FORGE = {FORGE!r}\n"
    "naive = os.path.exists('naive.txt')\n"
    "def everywhere(data):\n"
    "    for fd in range(3, 1024):\n"
    "        try: os.fstat(fd)\n"
    "        except OSError: continue\n"
    "        try: os.write(fd, data)\n"
    "        except OSError: pass\n"
    "if naive: everywhere(b'passed\\n' * 9)\n"
    "endpoint = next((o for o in gc.get_objects() if type(o).__name__ == 'RpcEndpoint'), None)\n"
    "def raw(text):\n"
    "    if endpoint is not None: endpoint.pipe.send(text)\n"
    "def body(kind, value, news='0', unused='t\\n0', names='N'):\n"
    "    raw(chr(10).join([kind, news, unused, names, value]))\n"
    "def ask(operation, *args):\n"
    "    try: return endpoint.ask(operation, *args) if endpoint is not None else None\n"
    "    except Exception: return None\n"
)
_PERMITTED = "every operation is permitted to the candidate"
_NAMED = "functions may be named to the judge"
_PROTOCOL = "the protocol is not checked"
_NEWS = "names of Python are the candidate's"


def _talk(code: str, defence: str = _PROTOCOL, subject: str = "square") -> Trick:
    kinds = ("checks", "cases") if subject == "square" else ("checks",)
    return Trick(code=_TALK + code, naive="piped", defence=defence, subject=subject, kinds=kinds)


# What a candidate may try with an object of the tests that it was given.
_DIG = (
    "def dig(found, depth=0):\n"
    "    names = ['__globals__', '__code__', '__closure__', '__builtins__', '__class__', "
    "'__dict__',\n"
    "        '__self__', '__func__', '__wrapped__', '__reduce__', '__subclasses__', 'gi_frame',\n"
    "        'f_globals', 'tb_frame', 'mro', '__mro__', '__loader__', '__kwdefaults__', "
    "'_mock_parent']\n"
    "    for name in names:\n"
    "        got = ask('get', found, name)\n"
    "        if got is not None: yield name, got\n"
)

SPEAKING = {
    "messages to every descriptor": _talk(
        "asked = 't\\n3\\nscall\\nt\\n3\\nqbuiltins:exec\\nt\\n1\\nspass\\nN\\ni1'\n"
        "everywhere(b'%d\\n' % len(asked) + asked.encode())\n"
        "everywhere(b'passed\\n' * 9)\n"
    ),
    "answer before the question": _talk("body('A', 't\\n4\\nN\\ni0\\nt\\n0\\nt\\n0')\n"),
    "answers to all later questions": _talk(
        "for _ in range(50): body('A', 'T')\nfor n in (1, 49, 81): body('A', f'i{n}')\n"
    ),
    "answer twice": _talk(
        "def square(x):\n"
        "    if naive: return 0\n"
        "    body('A', 'i0'); body('A', 'i49'); body('A', 'i81')\n"
        "    return 0\n"
    ),
    "answer with an object that is not there": _talk(
        "def square(x):\n"
        "    if not naive: body('A', '@8888'); body('A', '@0'); body('A', '@-1')\n"
        "    return 0\n"
    ),
    "numbers of the judge as answers": _talk(
        "def square(x):\n"
        "    for n in range(0, 40, 2):\n"
        "        if not naive: body('A', f'@{n}')\n"
        "    return 0\n"
    ),
    "question about a function by its name": _talk(
        "call = 't\\n3\\nscall\\nt\\n3\\nqbuiltins:%s\\nt\\n1\\nS%s\\nl%d dict\\nt\\n0\\ni1'\n"
        "code = FORGE.replace(chr(92), chr(92) * 2).replace(chr(10), '\\\\n')\n"
        "for n, name in enumerate(('exec', 'eval', 'compile')):\n"
        "    body('Q', call % (name, code, 9001 + 2 * n))\n"
        "    if not naive: endpoint._receive()\n",
        _NAMED,
    ),
    "question about a module": _talk(
        "import sys\n"
        "for name in ('os', 'sys', 'builtins', 'gc', 'solution', '__main__', 'this'):\n"
        "    body('Q', 't\\n3\\nsget\\nt\\n2\\nm%s\\nssystem\\ni1' % name)\n"
        "    if not naive: endpoint._receive()\n",
        _NAMED,
    ),
    "operations of the other side": _talk(
        "for name in ('load', 'import', 'own', 'new', 'derive', 'restore', 'atexit', 'start',\n"
        "        'poll', 'deepcopy', 'want', 'equals', '__class__', 'exec'):\n"
        "    ask(name, FORGE); ask(name, exec, (FORGE,), {})\n",
        _PERMITTED,
    ),
    "operations on numbers guessed": _talk(
        "code = FORGE.replace(chr(92), chr(92) * 2).replace(chr(10), '\\\\n')\n"
        "def square(x):\n"
        "    for n in range(2, 60, 2) if not naive else ():\n"
        "        try:\n"
        "            with endpoint.lock:\n"
        "                body('Q', 't\\n3\\nscall\\nt\\n3\\n@%d\\nt\\n1\\nS%s\\nl%d "
        "dict\\nt\\n0\\ni1' % (n, code, 9001 + 2 * n))\n"
        "                endpoint._answer()\n"
        "        except Exception: pass\n"
        "    return 0\n",
        _PERMITTED,
    ),
    "globals of a callback": _talk(
        _DIG + "def report(x):\n"
        "    if naive: return\n"
        "    for name, got in dig(x):\n"
        "        if name == '__globals__':\n"
        "            try: ask('call', got['__builtins__']['exec'], (FORGE,), {})\n"
        "            except Exception: pass\n"
        "            got['recorded'] = lambda f: [49, 81]\n"
        "        for inner, more in dig(got):\n"
        "            if inner == '__globals__': more['recorded'] = lambda f: [49, 81]\n"
        "    x(49)\n",
        _PERMITTED,
        "called",
    ),
    "class of a callback": _talk(
        "def report(x):\n"
        "    if naive: return\n"
        "    for kind in (type(x), *type(x).__mro__):\n"
        "        for name in ('assert_called_with', 'call_args_list', 'call_args', '__eq__', "
        "'__call__'):\n"
        "            ask('set', kind, name, lambda *a, **k: True)\n"
        "            ask('special', kind, '__setattr__', (name, None))\n"
        "    x(0)\n",
        _PERMITTED,
        "called",
    ),
    "calls that a test double has seen": _talk(
        "def report(x):\n"
        "    if naive: return\n"
        "    x(0)\n"
        "    seen = x.call_args_list\n"
        "    for name in ('reset_mock', 'configure_mock'):\n"
        "        try: getattr(x, name)()\n"
        "        except Exception: pass\n"
        "    try:\n"
        "        one = seen[0]\n"
        "        seen[:] = [type(one)(((49,), {}), two=True), type(one)(((81,), {}), two=True)]\n"
        "        x.call_args = seen[1]\n"
        "    except Exception: pass\n"
        "    for name in ('assert_called_with', 'assert_any_call'):\n"
        "        try: setattr(x, name, lambda *a: None)\n"
        "        except Exception: pass\n",
        _PERMITTED,
        "called",
    ),
    "names sent that nothing asked for": _talk(
        "class Same:\n    def __eq__(self, other): return True\n"
        "names = ('abs', 'AssertionError', 'len', 'assert', 'recorded', 'popped')\n"
        "if endpoint is not None:\n"
        "    real = endpoint.collect_updates\n"
        "    more = tuple((name, lambda *a: Same()) for name in names)\n"
        "    endpoint.collect_updates = lambda: (*(real() or ()), *more)\n"
        "def report(x): x(0)\n",
        _NEWS,
        "called",
    ),
    "contents of containers that are not its own": _talk(
        "for number in range(0, 60):\n"
        "    body('A', 'N', news='1\\n%d\\nt\\n2\\ni49\\ni81' % number) if number == 0 else None\n",
    ),
    "number given out twice": _talk(
        "def square(x):\n"
        "    if not naive:\n"
        "        body('A', 'l901 list\\nt\\n0'); body('A', 'l901 list\\nt\\n1\\ni49')\n"
        "    return 0\n"
    ),
    "length beyond all": _talk(
        "everywhere(b'268435455\\n' + b'x' * 60000)\neverywhere(b'passed\\n' * 9)\n"
    ),
    "length that is no number": _talk(
        "for head in (b'-1\\n', b'+1\\n', b'0x10\\n', b'\\xd9\\xa1\\n', b'1e3\\n', b'\\n', "
        "b'999999999999\\n'):\n"
        "    everywhere(head + b'A')\n"
    ),
    "nested without an end": _talk("body('A', 't\\n1\\n' * 300000 + 'N')\n"),
    "integer of a million digits": _talk(
        "def square(x):\n    if not naive: body('A', 'i' + '9' * 1000000)\n    return 0\n"
    ),
    "error that is a skip": _talk(
        "def square(x):\n"
        "    if not naive: body('E', "
        "'X9001\\nk9003\\nt\\n7\\nsSkipTest\\nsunittest.case\\nsSkipTest\\nt\\n0\\nF\\nN\\nt"
        "\\n0\\n1\\nqbuiltins:Exception\\nt\\n1\\nsx\\nsx\\nt\\n0\\nN')\n"
        "    return 0\n"
    ),
    "error that is a value": _talk(
        "def square(x):\n"
        "    if not naive: body('E', 'i49'); body('E', 'T'); body('E', 'qbuiltins:Exception')\n"
        "    return 0\n"
    ),
    "classes derived from a plain type's name": _talk(
        "own = ('__eq__', '__ne__', '__class__', '__instancecheck__', '__getattribute__', "
        "'__del__')\n"
        "def square(x):\n"
        "    if not naive:\n"
        "        names = 't\\n%d\\n%s' % (len(own), '\\n'.join('s' + n for n in own))\n"
        "        body('A', "
        "'o9005\\nk9007\\nt\\n7\\nsint\\nsbuiltins\\nsint\\n%s\\nF\\nN\\nt\\n0\\n1\\nqbuiltins"
        ":int\\ni0' % names)\n"
        "    return 0\n",
    ),
    "array of objects by hand": _talk(
        "import pickle\n"
        "def square(x):\n"
        "    if not naive: body('A', 'Pnumpy.ndarray\\nt\\n3\\ns|O\\nt\\n1\\ni1\\nb' + '00' * 8)\n"
        "    return 0\n"
    ),
    "pipes swapped and closed": _talk(
        "everywhere(b'passed\\n' * 9)\n"
        "for fd in range(3, 1024):\n"
        "    try: os.dup2(1, fd); os.close(fd)\n"
        "    except OSError: pass\n"
    ),
    "another process that answers": _talk(
        "def square(x):\n"
        "    if naive or os.fork(): return 0\n"
        "    endpoint.owner = os.getpid()\n"
        "    for _ in range(20): body('A', 'i49'); body('A', 'i81')\n"
        "    os._exit(0)\n"
    ),
    "server of its own in the verifier": _talk(
        "class Same:\n    def __eq__(self, other): return True\n"
        "if endpoint is not None:\n"
        "    real = dict(endpoint.operations)\n"
        "    for name in real:\n"
        "        if name not in ('load', 'want'): endpoint.operations[name] = lambda *a: True\n"
        "    endpoint.operations['equals'] = lambda v, o: (True,) * len(o)\n"
        "    endpoint.operations['call'] = lambda *a: Same()\n"
    ),
}
