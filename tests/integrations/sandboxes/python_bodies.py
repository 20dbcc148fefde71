"""Python programs whose exit status and output must be those of `python main.py`."""

__all__ = ["BODIES", "SAMPLE", "SEMAPHORES", "STARTED"]

_EVERYWHERE: dict[str, str | bytes] = {
    "nothing": "pass",
    "output": "import sys; print('out'); print('err', file=sys.stderr)",
    "unflushed output": "import sys; sys.stdout.write('no newline')",
    "exit code": "import sys; sys.exit(7)",
    "exit None": "import sys; sys.exit()",
    "exit message": "import sys; print('before'); sys.exit('what went wrong')",
    "exit large": "import sys; sys.exit(300)",
    "exit negative": "import sys; sys.exit(-1)",
    "exit huge": "import sys; sys.exit(10**30)",
    "exit builtin": "exit(4)",
    "os._exit": "import os; print('lost'); os._exit(4)",
    "exception": "def f():\n    1 / 0\nf()",
    "chained": "try:\n    {}['a']\nexcept KeyError as e:\n    raise ValueError('b') from e",
    "group": "raise ExceptionGroup('g', [ValueError(1), KeyError(2)])",
    "interrupt": "raise KeyboardInterrupt",
    "syntax error": "print('a'\nb = 1",
    "tabs": "if 1:\n\tx = 1\n        y = 2",
    "not utf-8": b"# \xff\nprint('never')",
    "not utf-8 in a text": b"x = '\xff'",
    "latin-1 cookie": b"# -*- coding: latin-1 -*-\nprint(ascii('\xe9'))",
    "unknown cookie": b"# -*- coding: klingon -*-\nprint('\xe9')",
    "bom": b"\xef\xbb\xbfprint(ascii('\xc3\xa9'))",
    "nul": b"print(1)\0print(2)",
    "atexit": "import atexit; atexit.register(print, 'bye'); print('hi')",
    "atexit fails": "import atexit; atexit.register(lambda: 1 / 0)",
    "objects say goodbye": "class A:\n    def __del__(self): print('gone')\na = A()",
    "cycles say goodbye": "class A:\n    def __del__(self): print('gone')\na = A(); a.a = a; del a",
    "threads": "import threading, time\n"
    "threading.Thread(target=lambda: (time.sleep(.05), print('thread'))).start()\nprint('main')",
    "thread fails": "import threading\nt = threading.Thread(target=lambda: 1 / 0, name='t')\n"
    "t.start(); t.join()",
    "excepthook": "import sys; sys.excepthook = lambda *a: print('hook', a[0]); 1 / 0",
    "excepthook fails": "import sys\ndef hook(*a): raise ValueError\nsys.excepthook = hook\n1 / 0",
    "excepthook exits": "import sys\nsys.excepthook = lambda *a: sys.exit(9)\n1 / 0",
    "recursion": "def f(n):\n    return f(n + 1)\ntry:\n    f(0)\nexcept RecursionError as e:\n"
    "    print(e)",
    "main module": "import sys; m = sys.modules['__main__']\n"
    "print(__name__, m.__dict__ is globals(), __spec__, __file__, __builtins__, __doc__)\n"
    "print(sorted(globals()), __loader__.__class__)",
    "docstring": "'''About it.'''\nprint(__doc__)",
    "annotations": "x: int = 1\nprint(__annotations__)",
    "sys": "import sys; print(sys.argv, sys.path[0], sys.warnoptions)",
    "streams": "import sys; print([(s.encoding, s.errors, s.line_buffering, s.isatty(), s.mode, "
    "s.name) for s in (sys.stdin, sys.stdout, sys.stderr)])",
    "stdin": "import sys; print(repr(sys.stdin.read())); print(sys.stdin.fileno())",
    "input": "try:\n    input('? ')\nexcept EOFError as e:\n    print(repr(e))",
    "signals": "import signal; print([(s, signal.getsignal(s)) for s in signal.Signals])\n"
    "print(signal.pthread_sigmask(0, []))",
    "warning": "import warnings; warnings.warn('old', DeprecationWarning)",
    "syntax warning": "x = 1\nprint(x is 1)",
    "locals": "print(sorted(locals()) == sorted(globals()))",
    "future": "from __future__ import annotations\ndef f(x: nothing): pass\n"
    "print(f.__annotations__)",
    "pickle": "import pickle\nclass A: pass\nprint(type(pickle.loads(pickle.dumps(A()))) is A)",
    "import itself": "if __name__ == '__main__':\n    import main\nprint(__name__)",
    "broken pipe": "import os, sys; sys.stdout.write('x'); os.close(1)",
    "fork": "import os\nif os.fork() == 0:\n    print('child'); os._exit(0)\n"
    "os.wait(); print('me')",
    "pool": "import multiprocessing as m\nif __name__ == '__main__':\n"
    "    with m.get_context('fork').Pool(2) as pool:\n        print(pool.map(abs, [-1, -2]))",
    "spawn": "import multiprocessing as m\nif __name__ == '__main__':\n"
    "    with m.get_context('spawn').Pool(1) as pool:\n        print(pool.map(abs, [-3]))",
    "futures": "from concurrent.futures import ThreadPoolExecutor as T\n"
    "with T(2) as pool: print(list(pool.map(abs, [-1, -2])))",
    "asyncio": "import asyncio\nasync def main():\n    await asyncio.sleep(0)\n    print('ran')\n"
    "asyncio.run(main())",
    "subprocess": "import subprocess, sys\n"
    "print(subprocess.run([sys.executable, '-c', 'print(3)'], capture_output=True).stdout)",
    "temporary files": "import tempfile\nwith tempfile.TemporaryFile() as f: print(f.write(b'x'))",
    "dies by signal": "import os, signal; os.kill(os.getpid(), signal.SIGUSR1)",
    "aborts": "import os; os.abort()",
    "pids": "import os; print(os.getpid() == os.getpgrp() == os.getsid(0))",
}

STARTED: dict[str, str | bytes] = {
    "depth": "import sys\nn = 0\ndef f():\n    global n\n    n += 1\n    f()\ntry:\n    f()\n"
    "except RecursionError:\n    print(n)",
    "stack": "import inspect; print(len(inspect.stack()))",
    "sys": "import sys; print(sys.argv, sys.path, sys.flags, sys.warnoptions, sys.executable)",
    "modules": "import os, sys\n"
    "print([m for m in sys.modules if 'planish' in m or 'custom' in m])\n"
    "print(sorted(path.replace(os.getcwd(), 'here') for path in sys.path_importer_cache))",
    "descriptors": "import os\nfor one in os.listdir('/proc/self/fd')[:-1]:\n"
    "    place = os.readlink(f'/proc/self/fd/{one}')\n"
    "    if 'libffi' not in place:  # which opens its own file for callbacks of ctypes\n"
    "        print(one)",
}
"""These show how the interpreter was started, which is not so where it was forked."""

BODIES = {**_EVERYWHERE, **{f"{name} of a start": body for name, body in STARTED.items()}}
"""All of them."""

SEMAPHORES = ("pool", "spawn")
"""These need POSIX semaphores, which lie in /dev/shm."""

SAMPLE = (
    *("exit message", "chained", "not utf-8", "atexit fails", "threads", "streams", "signals"),
    *("dies by signal", "pids"),
)
"""These run where each run starts a container, or calls a server, and then `python3 -s main.py`."""
