"""The conformance kit for sandboxes: `check_sandbox`, which needs no pytest."""

import json
import os
from collections.abc import Awaitable, Callable
from functools import partial
from uuid import uuid4

from planish.abc import Sandbox
from planish.data.program import Program
from planish.data.sandbox import GUARANTEES
from planish.testing._conformance import describe, expect, python_program, run_checks
from planish.testing._sandbox_limits import LIMITS, check_cancellation, check_time_limit
from planish.testing._sandbox_refusals import REFUSALS
from planish.testing._sandbox_returned import RETURNED

__all__ = ["check_sandbox", "sandbox_checks"]


async def check_sandbox(sandbox: Sandbox, *, promptly: float = 5.0) -> tuple[str, ...]:
    """Check that a sandbox conforms to `planish.abc.Sandbox`.

    It runs about 50 short Python programs, which takes about 6 seconds if programs start at
    once. For `memory_mb`, `processes` and `file_bytes`, `UnsupportedError` conforms too.

    >>> import anyio
    >>> from planish_integrations.local import LocalSandbox
    >>> len(anyio.run(check_sandbox, LocalSandbox()))
    29

    Args:
        sandbox: Any implementation.
        promptly: Seconds that a cancelled run may take to end; 5.0 by default. A program may
            run beyond its time limit for a fifth of it.

    Returns:
        The names of the checks, all of which passed.

    Raises:
        ConformanceError: at least one check failed; `failures` has the finding of each. All
            checks are run.
    """
    return await run_checks(sandbox_checks(promptly), sandbox)


def sandbox_checks(promptly: float) -> dict[str, Callable[[Sandbox], Awaitable[None]]]:
    """Return the checks of `check_sandbox`, by name."""
    return {
        **_RUNNING,
        **RETURNED,
        "stops at the time limit": partial(check_time_limit, promptly / 5),
        **LIMITS,
        **REFUSALS,
        "ends promptly when cancelled": partial(check_cancellation, promptly),
    }


async def _name(sandbox: Sandbox) -> None:
    """Check that `name` is one word."""
    name: object = getattr(sandbox, "name", None)
    expect(
        isinstance(name, str) and name.isidentifier(),
        f"name is {name!r}",
        "one word, as in 'local'",
    )


async def _runs(sandbox: Sandbox) -> None:
    """Check that a program that ends by itself is `ok` and has a duration."""
    completed = await sandbox.run(python_program("print('ran')"))
    expect(
        completed.ok and completed.stdout == b"ran\n",
        describe(completed),
        "exit code 0 and 'ran\\n'",
    )
    expect(completed.duration > 0, f"duration is {completed.duration}", "more than 0 s")


async def _files(sandbox: Sandbox) -> None:
    """Check that the program's files are in its working directory, with their folders."""
    data = bytes(range(256))
    files = {"main.py": _READ, "a/b/data.bin": data, "helper.py": b"name = 'helper'"}
    completed = await sandbox.run(Program(main="main.py", files=files))
    expect(
        completed.stdout == data + b"helper main.py",
        describe(completed),
        "the 256 bytes of a/b/data.bin and then 'helper main.py'",
    )


_READ = b"""import helper, os, sys
sys.stdout.buffer.write(open('a/b/data.bin', 'rb').read())
print(helper.name, os.path.basename(__file__), end='')
"""


async def _args(sandbox: Sandbox) -> None:
    """Check that the program gets `args` unchanged."""
    args = ("plain", "two words", "-x", "", "$HOME", "it's", '"', "é\n")
    completed = await sandbox.run(
        python_program("import sys; print(ascii(sys.argv[1:]))", args=args)
    )
    wanted = ascii(list(args))
    expect(completed.stdout.strip() == wanted.encode(), describe(completed), wanted)


async def _stdin(sandbox: Sandbox) -> None:
    """Check that the program can read `stdin` to its end, and need not read it."""
    source = "import sys; data = sys.stdin.buffer.read(); print(len(data), data[-3:])"
    for data in (b"", b"one\ntwo\xff", b"x" * 300_000):
        completed = await sandbox.run(python_program(source, stdin=data))
        expected = f"{len(data)} {data[-3:]!r}\n".encode()
        found = f"of {len(data)} bytes: {describe(completed)}"
        expect(completed.stdout == expected, found, repr(expected))
    completed = await sandbox.run(python_program("pass", stdin=b"x" * 300_000))
    expect(completed.ok, f"not read: {describe(completed)}", "exit code 0")


async def _stdin_file(sandbox: Sandbox) -> None:
    """Check that standard input is a regular file, which can be mapped and read again."""
    completed = await sandbox.run(python_program(_SEEK, stdin=b"1 2\n3"))
    expected = b"True 5 0\nb'1 2\\n3' b'1 2\\n3' b'2'\n"
    expect(completed.stdout == expected, describe(completed), repr(expected))


_SEEK = """import mmap, os, stat
found = os.fstat(0)
print(stat.S_ISREG(found.st_mode), found.st_size, os.lseek(0, 0, os.SEEK_CUR))
read = os.read(0, found.st_size)
os.lseek(0, 2, os.SEEK_SET)
print(read, mmap.mmap(0, 0, prot=mmap.PROT_READ)[:], os.read(0, 1))
"""


async def _env(sandbox: Sandbox) -> None:
    """Check that the program gets `env` unchanged."""
    env = {"PLAIN": "1", "QUOTES": "';\"$(id)`", "LINES": "é\nb"}
    source = "import json, os; print(json.dumps(dict(os.environ)))"
    completed = await sandbox.run(python_program(source, env=env))
    expect(completed.ok, describe(completed), "exit code 0")
    variables = json.loads(completed.stdout)
    wrong = {
        name: variables.get(name) for name, value in env.items() if variables.get(name) != value
    }
    expect(not wrong, f"it saw {wrong!r}", repr({name: env[name] for name in wrong}))


async def _secrets(sandbox: Sandbox) -> None:
    """Check that the program does not get the host's environment variables."""
    name, value = f"PLANISH_{uuid4().hex}", uuid4().hex
    os.environ[name] = value
    try:
        completed = await sandbox.run(python_program("import os; print(dict(os.environ))"))
    finally:
        del os.environ[name]
    expect(completed.ok, describe(completed), "exit code 0")
    expect(
        value.encode() not in completed.stdout,
        f"a variable of the host is visible: {name}",
        "variables of `env` and the sandbox's own only",
    )


async def _exit_codes(sandbox: Sandbox) -> None:
    """Check that exit codes are those of CPython, for all forms of `SystemExit` too."""
    for code, source in (
        (0, "raise SystemExit"),
        (3, "import sys; sys.exit(3)"),
        (1, "import sys; sys.exit('a message')"),
        (1, "1 / 0"),
        (1, "not python"),
        (7, "import os; os._exit(7)"),
    ):
        completed = await sandbox.run(python_program(source))
        expect(
            completed.exit_code == code and completed.ok == (code == 0) and not completed.limit,
            f"{source!r}: {describe(completed)}",
            f"exit code {code} and no limit",
        )


async def _tracebacks(sandbox: Sandbox) -> None:
    """Check that an uncaught exception and a file that is not Python are reported on stderr."""
    completed = await sandbox.run(python_program("def f():\n    return {}['key']\nf()"))
    found = completed.stderr
    expect(
        b"Traceback" in found and found.endswith(b"KeyError: 'key'\n"),
        describe(completed),
        "a traceback that ends with \"KeyError: 'key'\"",
    )
    for content in (b"print(1", b"# \xff\xfe\nprint(1)"):
        completed = await sandbox.run(Program(main="main.py", files={"main.py": content}))
        expect(
            completed.exit_code == 1 and completed.stderr,
            f"{content!r}: {describe(completed)}",
            "exit code 1 and the error on stderr",
        )


async def _guarantees(sandbox: Sandbox) -> None:
    """Check that the guarantees are sorted words of `GUARANTEES`."""
    completed = await sandbox.run(python_program("pass"))
    guarantees = list(completed.guarantees)
    expect(completed.isolation, "isolation is empty", "the name of a tier or kind, or 'none'")
    expect(
        guarantees == sorted(set(guarantees) & set(GUARANTEES)),
        f"guarantees are {guarantees}",
        "words of GUARANTEES, sorted, each once",
    )


_RUNNING: dict[str, Callable[[Sandbox], Awaitable[None]]] = {
    "has a name": _name,
    "runs a program": _runs,
    "writes files": _files,
    "passes arguments": _args,
    "passes input": _stdin,
    "provides input as a file": _stdin_file,
    "passes variables": _env,
    "hides the host's variables": _secrets,
    "reports exit codes": _exit_codes,
    "reports uncaught exceptions": _tracebacks,
    "reports guarantees": _guarantees,
}
