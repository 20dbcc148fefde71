"""The conformance kit for sandboxes: `check_sandbox`, which needs no pytest."""

import json
import os
from collections.abc import Awaitable, Callable
from functools import partial
from uuid import uuid4

from planish.abc import Sandbox
from planish.data.program import Program
from planish.data.sandbox import GUARANTEES
from planish.testing._conformance import describe, python_program, require, run_checks
from planish.testing._sandbox_limits import LIMITS, check_cancellation

__all__ = ["RUNNING", "check_sandbox"]


async def check_sandbox(sandbox: Sandbox, *, promptly: float = 5.0) -> tuple[str, ...]:
    """Check that a sandbox conforms to `planish.abc.Sandbox`.

    It runs about 50 short Python programs, which takes about 10 seconds if programs start at
    once. For `memory_mb`, `processes` and `file_bytes`, `UnsupportedError` conforms too.

    >>> import anyio
    >>> from planish_integrations.local import LocalSandbox
    >>> len(anyio.run(check_sandbox, LocalSandbox()))
    28

    Args:
        sandbox: Any implementation.
        promptly: Seconds that a cancelled run may take to end; 5.0 by default.

    Returns:
        The names of the checks, all of which passed.

    Raises:
        ConformanceError: at least one check failed; `failures` has the finding of each. All
            checks are run.
    """
    checks: dict[str, Callable[[Sandbox], Awaitable[None]]] = {
        **RUNNING,
        **LIMITS,
        "ends promptly when cancelled": partial(check_cancellation, promptly),
    }
    return await run_checks(checks, sandbox)


async def _name(sandbox: Sandbox) -> None:
    """Check that `name` is one word."""
    name: object = getattr(sandbox, "name", None)
    require(isinstance(name, str) and name.isidentifier(), f"name is {name!r}, not one word")


async def _runs(sandbox: Sandbox) -> None:
    """Check that a program that ends by itself is `ok` and has a duration."""
    completed = await sandbox.run(python_program("print('ran')"))
    require(completed.ok and completed.stdout == b"ran\n", describe(completed))
    require(completed.duration > 0, f"duration is {completed.duration}")


async def _files(sandbox: Sandbox) -> None:
    """Check that the program's files are in its working directory, with their folders."""
    data = bytes(range(256))
    files = {"main.py": _READ, "a/b/data.bin": data, "helper.py": b"name = 'helper'"}
    completed = await sandbox.run(Program(main="main.py", files=files))
    require(completed.stdout == data + b"helper main.py", describe(completed))


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
    require(completed.stdout.strip() == ascii(list(args)).encode(), describe(completed))


async def _stdin(sandbox: Sandbox) -> None:
    """Check that the program can read `stdin` to its end, and need not read it."""
    source = "import sys; data = sys.stdin.buffer.read(); print(len(data), data[-3:])"
    for data in (b"", b"one\ntwo\xff", b"x" * 300_000):
        completed = await sandbox.run(python_program(source, stdin=data))
        expected = f"{len(data)} {data[-3:]!r}\n".encode()
        require(completed.stdout == expected, f"of {len(data)} bytes: {describe(completed)}")
    completed = await sandbox.run(python_program("pass", stdin=b"x" * 300_000))
    require(completed.ok, f"not read: {describe(completed)}")


async def _stdin_file(sandbox: Sandbox) -> None:
    """Check that standard input is a regular file, which can be mapped and read again."""
    completed = await sandbox.run(python_program(_SEEK, stdin=b"1 2\n3"))
    expected = b"True 5 0\nb'1 2\\n3' b'1 2\\n3' b'2'\n"
    require(completed.stdout == expected, f"expected {expected!r}: {describe(completed)}")


_SEEK = """import mmap, os, stat
found = os.fstat(0)
print(stat.S_ISREG(found.st_mode), found.st_size, os.lseek(0, 0, os.SEEK_CUR))
read = os.read(0, found.st_size)
os.lseek(0, 2, os.SEEK_SET)
print(read, mmap.mmap(0, 0, prot=mmap.PROT_READ)[:], os.read(0, 1))
"""


async def _results(sandbox: Sandbox) -> None:
    """Check that bytes written to the descriptor for results are returned, however it ends."""
    write = "import os\nfd = int(os.environ['PLANISH_RESULTS_FD'])\nos.write(fd, b'so far')\n"
    completed = await sandbox.run(python_program("pass", results=True))
    if completed.results is None:
        return  # the contract allows a sandbox without this channel
    require(completed.results == b"", f"nothing was written, results are {completed.results!r}")
    for end in ("", "os._exit(3)", "os.abort()"):
        completed = await sandbox.run(python_program(write + end, results=True))
        require(
            completed.results == b"so far",
            f"expected b'so far' after {end!r}, results are {completed.results!r}",
        )
    without = await sandbox.run(
        python_program("import os; print('PLANISH_RESULTS_FD' in os.environ)")
    )
    require(without.results is None, f"without `results`, results are {without.results!r}")
    require(
        without.stdout == b"False\n", "without `results`, the program has a descriptor for them"
    )


async def _env(sandbox: Sandbox) -> None:
    """Check that the program gets `env` unchanged."""
    env = {"PLAIN": "1", "QUOTES": "';\"$(id)`", "LINES": "é\nb"}
    source = "import json, os; print(json.dumps(dict(os.environ)))"
    completed = await sandbox.run(python_program(source, env=env))
    require(completed.ok, describe(completed))
    variables = json.loads(completed.stdout)
    wrong = {
        name: variables.get(name) for name, value in env.items() if variables.get(name) != value
    }
    require(not wrong, f"it saw {wrong!r}")


async def _secrets(sandbox: Sandbox) -> None:
    """Check that the program does not get the host's environment variables."""
    name, value = f"PLANISH_{uuid4().hex}", uuid4().hex
    os.environ[name] = value
    try:
        completed = await sandbox.run(python_program("import os; print(dict(os.environ))"))
    finally:
        del os.environ[name]
    require(completed.ok, describe(completed))
    require(value.encode() not in completed.stdout, "a variable of the host is visible")


async def _streams(sandbox: Sandbox) -> None:
    """Check that stdout and stderr are returned separately, as bytes, even if not flushed."""
    source = "import sys; sys.stdout.buffer.write(b'out \\xff\\0'); sys.stderr.write('err')"
    completed = await sandbox.run(python_program(source))
    require(completed.stdout == b"out \xff\0", f"stdout is {completed.stdout[:200]!r}")
    require(completed.stderr == b"err", f"stderr is {completed.stderr[:200]!r}")


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
        require(completed.exit_code == code, f"{source!r}: {describe(completed)}")
        require(
            completed.ok == (code == 0) and not completed.limit,
            f"{source!r}: {describe(completed)}",
        )


async def _tracebacks(sandbox: Sandbox) -> None:
    """Check that an uncaught exception and a file that is not Python are reported on stderr."""
    completed = await sandbox.run(python_program("def f():\n    return {}['key']\nf()"))
    require(b"Traceback" in completed.stderr, describe(completed))
    require(completed.stderr.endswith(b"KeyError: 'key'\n"), describe(completed))
    for content in (b"print(1", b"# \xff\xfe\nprint(1)"):
        completed = await sandbox.run(Program(main="main.py", files={"main.py": content}))
        require(
            completed.exit_code == 1 and completed.stderr, f"{content!r}: {describe(completed)}"
        )


async def _collects(sandbox: Sandbox) -> None:
    """Check that collected regular files are returned, and links and other files are not."""
    source = """
import os
os.makedirs('out/deep'); open('out/deep/file', 'wb').write(bytes(range(256)))
os.mkdir('folder'); os.symlink('/etc/passwd', 'link'); os.symlink('/etc', 'etc')
"""
    paths = ("out/deep/file", "main.py", "absent", "out/absent", "folder", "link", "etc/passwd")
    completed = await sandbox.run(python_program(source, collect=paths))
    require(completed.ok, describe(completed))
    expected = {"out/deep/file": bytes(range(256)), "main.py": source.encode()}
    wrong = sorted(name for name in paths if completed.files.get(name) != expected.get(name))
    require(not wrong and set(completed.files) <= set(paths), f"of {paths}, these differ: {wrong}")


async def _outputs(sandbox: Sandbox) -> None:
    """Check that regular files of the outputs folder are returned, and findings name the others."""
    source = """
import os
os.mkdir('results/deep'); open('results/deep/a.bin', 'wb').write(bytes(range(256)))
open('results/b.txt', 'w').write('b'); open('beside.txt', 'w').write('no')
os.symlink('/etc/passwd', 'results/link'); os.symlink('/etc', 'results/folder')
os.mkfifo('results/pipe')
"""
    completed = await sandbox.run(python_program(source, outputs="results"))
    require(completed.ok, describe(completed))
    expected = {"deep/a.bin": bytes(range(256)), "b.txt": b"b"}
    found = sorted(completed.artifacts)
    require(completed.artifacts == expected, f"artifacts are {found}, not {sorted(expected)}")
    findings = "\n".join(completed.findings)
    for left_out in ("link", "folder", "pipe"):
        require(
            left_out in findings,
            f"the omission of {left_out} is not among the findings {findings!r}",
        )
    removed = await sandbox.run(python_program("import os; os.rmdir('results')", outputs="results"))
    require("results" in "\n".join(removed.findings), "no finding says that outputs were removed")
    without = await sandbox.run(python_program("import os; os.mkdir('results')"))
    require(without.ok and not without.artifacts, f"without outputs: {describe(without)}")


async def _guarantees(sandbox: Sandbox) -> None:
    """Check that the guarantees are sorted words of `GUARANTEES`."""
    completed = await sandbox.run(python_program("pass"))
    guarantees = list(completed.guarantees)
    require(completed.isolation, "isolation is empty")
    require(guarantees == sorted(set(guarantees) & set(GUARANTEES)), f"guarantees are {guarantees}")


RUNNING: dict[str, Callable[[Sandbox], Awaitable[None]]] = {
    "has a name": _name,
    "runs a program": _runs,
    "writes files": _files,
    "passes arguments": _args,
    "passes input": _stdin,
    "provides input as a file": _stdin_file,
    "returns results": _results,
    "passes variables": _env,
    "hides the host's variables": _secrets,
    "separates stdout and stderr, as bytes": _streams,
    "reports exit codes": _exit_codes,
    "reports uncaught exceptions": _tracebacks,
    "collects files without following links": _collects,
    "returns outputs and reports omissions": _outputs,
    "reports guarantees": _guarantees,
}
