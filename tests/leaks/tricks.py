"""Candidates that try to carry inputs of hidden tests into the next request."""

from collections.abc import Mapping

__all__ = ["TRICKS", "program"]

_HEAD = "import os, sys, time, warnings, signal\n"

TRICKS: Mapping[str, str] = {
    "an exception class that is named after the input": "raise type(f'Saw{x}', (Exception,), {})",
    "a base class that is named after the input": (
        "raise type('Own', (type(f'Saw{x}', (ValueError,), {}),), {})"
    ),
    "the message of an exception": "raise ValueError(f'saw {x}')",
    "a note on an exception": "e = ValueError('no')\n    e.add_note(f'saw {x}')\n    raise e",
    "the cause of an exception": "raise ValueError('no') from KeyError(x)",
    "the line of an exception": "exec('\\n' * (x % 50) + 'raise ValueError')",
    "the line of the candidate": "\n".join(
        f"    if x % 40 == {n}: raise ValueError" for n in range(40)
    ).strip(),
    "the name of a function in the traceback": (
        "exec(f'def saw_{x}(): raise ValueError\\nsaw_{x}()')"
    ),
    "the returned value": "return f'saw {x}'",
    "the text of the returned value": (
        "return type('V', (), {'__repr__': lambda self: f'saw {x}'})()"
    ),
    "printed output": "print('saw', x)\n    return None",
    "standard error": "print('saw', x, file=sys.stderr)\n    return None",
    "a warning": "warnings.warn(f'saw {x}')\n    return None",
    "the exit code": "os._exit(x % 200 + 1)",
    "an exit": "sys.exit(f'saw {x}')",
    "a signal": "os.kill(os.getpid(), signal.SIGTERM if x % 2 else signal.SIGKILL)",
    "how many tests fail": "return x * x if x % 3 == 0 else None",
    "which test fails": "return x * x if x % 3 == 1 else None",
    "the time of an answer": "time.sleep(x % 7 / 20)\n    return None",
    "a file for the next attempt": (
        "open('saw.txt', 'a').write(f'{x} ')\n    print(open('saw.txt').read())\n    return None"
    ),
    "a file outside": (
        "try:\n        print(open('/tmp/saw.txt').read())\n"
        "        open('/tmp/saw.txt', 'a').write(f'{x}')\n"
        "    except OSError:\n        pass\n    return None"
    ),
    "memory": "return len('x' * (10**12 if x % 2 else 1))",
    "recursion": "return f(x) if x % 2 else None",
}
"""The body of `f(x)`, by what it tries to use. It is right for the visible input 2 only."""


def program(trick: str) -> str:
    """Return the candidate of a trick: right for visible inputs, and not for hidden ones."""
    return f"{_HEAD}def f(x):\n    if x == 2: return 4\n    {TRICKS[trick]}"
