"""Conformance kit for sandboxes: `check_sandbox` needs no pytest."""

import json
import os
from collections.abc import Awaitable, Callable
from functools import partial
from uuid import uuid4

from planish.abc import Sandbox
from planish.data.program import Program
from planish.data.sandbox import GUARANTEES
from planish.testing._conformance import hold, hold_to, python, shows
from planish.testing._sandbox_limits import LIMITS, cancels

__all__ = ["RUNNING", "check_sandbox"]


async def check_sandbox(sandbox: Sandbox, *, promptly: float = 5.0) -> tuple[str, ...]:
    """Hold a sandbox to `planish.abc.Sandbox`.

    Runs some 50 short Python programs, for about 10 seconds where starting one takes none. For
    `memory_mb`, `processes` and `file_bytes`, `UnsupportedError` is an answer too.

    >>> import anyio
    >>> from planish_integrations.local import LocalSandbox
    >>> len(anyio.run(check_sandbox, LocalSandbox()))
    28

    Args:
        sandbox: Any implementation.
        promptly: Seconds a cancelled run may take to end.

    Returns:
        The names of the checks, all of which it passed.

    Raises:
        ConformanceError: it failed some; `failures` says which, and how. All are run.
    """
    checks: dict[str, Callable[[Sandbox], Awaitable[None]]] = {
        **RUNNING,
        **LIMITS,
        "cancelling ends it promptly": partial(cancels, promptly),
    }
    return await hold_to(checks, sandbox)


async def _named(sandbox: Sandbox) -> None:
    """`name` is one word."""
    name: object = getattr(sandbox, "name", None)
    hold(isinstance(name, str) and name.isidentifier(), f"name is {name!r}, not one word")


async def _runs(sandbox: Sandbox) -> None:
    """A program that ends by itself is `ok`, and says how long it took."""
    completed = await sandbox.run(python("print('ran')"))
    hold(completed.ok and completed.stdout == b"ran\n", shows(completed))
    hold(completed.duration > 0, f"duration is {completed.duration}")


async def _files(sandbox: Sandbox) -> None:
    """Files lie in the working directory as they were given, folders and all."""
    data = bytes(range(256))
    files = {"main.py": _READ, "a/b/data.bin": data, "helper.py": b"name = 'helper'"}
    completed = await sandbox.run(Program(main="main.py", files=files))
    hold(completed.stdout == data + b"helper main.py", shows(completed))


_READ = b"""import helper, os, sys
sys.stdout.buffer.write(open('a/b/data.bin', 'rb').read())
print(helper.name, os.path.basename(__file__), end='')
"""


async def _args(sandbox: Sandbox) -> None:
    """`args` follow the file, each as it is."""
    args = ("plain", "two words", "-x", "", "$HOME", "it's", '"', "é\n")
    completed = await sandbox.run(python("import sys; print(ascii(sys.argv[1:]))", args=args))
    hold(completed.stdout.strip() == ascii(list(args)).encode(), shows(completed))


async def _stdin(sandbox: Sandbox) -> None:
    """`stdin` is read to its end, also when it is empty, and need not be read."""
    source = "import sys; data = sys.stdin.buffer.read(); print(len(data), data[-3:])"
    for data in (b"", b"one\ntwo\xff", b"x" * 300_000):
        completed = await sandbox.run(python(source, stdin=data))
        expected = f"{len(data)} {data[-3:]!r}\n".encode()
        hold(completed.stdout == expected, f"of {len(data)} bytes: {shows(completed)}")
    completed = await sandbox.run(python("pass", stdin=b"x" * 300_000))
    hold(completed.ok, f"not read: {shows(completed)}")


async def _stdin_file(sandbox: Sandbox) -> None:
    """Standard input is a regular file: it has a size, can be mapped and read again."""
    completed = await sandbox.run(python(_SEEK, stdin=b"1 2\n3"))
    wanted = b"True 5 0\nb'1 2\\n3' b'1 2\\n3' b'2'\n"
    hold(completed.stdout == wanted, f"wanted {wanted!r}: {shows(completed)}")


_SEEK = """import mmap, os, stat
found = os.fstat(0)
print(stat.S_ISREG(found.st_mode), found.st_size, os.lseek(0, 0, os.SEEK_CUR))
read = os.read(0, found.st_size)
os.lseek(0, 2, os.SEEK_SET)
print(read, mmap.mmap(0, 0, prot=mmap.PROT_READ)[:], os.read(0, 1))
"""


async def _results(sandbox: Sandbox) -> None:
    """What the first process wrote to its descriptor comes back, whatever the end."""
    write = "import os\nfd = int(os.environ['PLANISH_RESULTS_FD'])\nos.write(fd, b'so far')\n"
    completed = await sandbox.run(python("pass", results=True))
    if completed.results is None:
        return  # it has no such channel: the contract allows that
    hold(completed.results == b"", f"nothing was written, results are {completed.results!r}")
    for end in ("", "os._exit(3)", "os.abort()"):
        completed = await sandbox.run(python(write + end, results=True))
        hold(
            completed.results == b"so far",
            f"wanted b'so far' after {end!r}, results are {completed.results!r}",
        )
    silent = await sandbox.run(python("import os; print('PLANISH_RESULTS_FD' in os.environ)"))
    hold(silent.results is None, f"not asked for, results are {silent.results!r}")
    hold(silent.stdout == b"False\n", "not asked for, the program has a descriptor for results")


async def _env(sandbox: Sandbox) -> None:
    """`env` is seen as it is, quotes and all."""
    env = {"PLAIN": "1", "QUOTES": "';\"$(id)`", "LINES": "é\nb"}
    source = "import json, os; print(json.dumps(dict(os.environ)))"
    completed = await sandbox.run(python(source, env=env))
    hold(completed.ok, shows(completed))
    seen = json.loads(completed.stdout)
    wrong = {name: seen.get(name) for name, value in env.items() if seen.get(name) != value}
    hold(not wrong, f"it saw {wrong!r}")


async def _secrets(sandbox: Sandbox) -> None:
    """Nothing of the host's environment is seen."""
    name, value = f"PLANISH_{uuid4().hex}", uuid4().hex
    os.environ[name] = value
    try:
        completed = await sandbox.run(python("import os; print(dict(os.environ))"))
    finally:
        del os.environ[name]
    hold(completed.ok, shows(completed))
    hold(value.encode() not in completed.stdout, "a variable of the host is visible")


async def _streams(sandbox: Sandbox) -> None:
    """Stdout and stderr come apart, as bytes, also what was not flushed."""
    source = "import sys; sys.stdout.buffer.write(b'out \\xff\\0'); sys.stderr.write('err')"
    completed = await sandbox.run(python(source))
    hold(completed.stdout == b"out \xff\0", f"stdout is {completed.stdout[:200]!r}")
    hold(completed.stderr == b"err", f"stderr is {completed.stderr[:200]!r}")


async def _exit_codes(sandbox: Sandbox) -> None:
    """Exit codes are those of CPython, `SystemExit` in all its forms included."""
    for code, source in (
        (0, "raise SystemExit"),
        (3, "import sys; sys.exit(3)"),
        (1, "import sys; sys.exit('a message')"),
        (1, "1 / 0"),
        (1, "not python"),
        (7, "import os; os._exit(7)"),
    ):
        completed = await sandbox.run(python(source))
        hold(completed.exit_code == code, f"{source!r}: {shows(completed)}")
        hold(completed.ok == (code == 0) and not completed.limit, f"{source!r}: {shows(completed)}")


async def _tracebacks(sandbox: Sandbox) -> None:
    """An uncaught exception, or a file that is not Python, is told on stderr."""
    completed = await sandbox.run(python("def f():\n    return {}['key']\nf()"))
    hold(b"Traceback" in completed.stderr, shows(completed))
    hold(completed.stderr.endswith(b"KeyError: 'key'\n"), shows(completed))
    for content in (b"print(1", b"# \xff\xfe"):
        completed = await sandbox.run(Program(main="main.py", files={"main.py": content}))
        hold(completed.exit_code == 1 and completed.stderr, f"{content!r}: {shows(completed)}")


async def _collects(sandbox: Sandbox) -> None:
    """Regular files are brought back; what is absent, or is something else, is left out."""
    source = """
import os
os.makedirs('out/deep'); open('out/deep/file', 'wb').write(bytes(range(256)))
os.mkdir('folder'); os.symlink('/etc/passwd', 'link'); os.symlink('/etc', 'etc')
"""
    wanted = ("out/deep/file", "main.py", "absent", "out/absent", "folder", "link", "etc/passwd")
    completed = await sandbox.run(python(source, collect=wanted))
    hold(completed.ok, shows(completed))
    expected = {"out/deep/file": bytes(range(256)), "main.py": source.encode()}
    wrong = sorted(name for name in wanted if completed.files.get(name) != expected.get(name))
    hold(not wrong and set(completed.files) <= set(wanted), f"of {wanted}, these differ: {wrong}")


async def _outputs(sandbox: Sandbox) -> None:
    """All regular files of the outputs folder come back; the folder is there from the start."""
    source = """
import os
os.mkdir('results/deep'); open('results/deep/a.bin', 'wb').write(bytes(range(256)))
open('results/b.txt', 'w').write('b'); open('beside.txt', 'w').write('no')
os.symlink('/etc/passwd', 'results/link'); os.symlink('/etc', 'results/folder')
os.mkfifo('results/pipe')
"""
    completed = await sandbox.run(python(source, outputs="results"))
    hold(completed.ok, shows(completed))
    expected = {"deep/a.bin": bytes(range(256)), "b.txt": b"b"}
    found = sorted(completed.artifacts)
    hold(completed.artifacts == expected, f"artifacts are {found}, not {sorted(expected)}")
    said = "\n".join(completed.findings)
    for left_out in ("link", "folder", "pipe"):
        hold(left_out in said, f"that {left_out} was left out is not among the findings {said!r}")
    removed = await sandbox.run(python("import os; os.rmdir('results')", outputs="results"))
    hold("results" in "\n".join(removed.findings), "no finding says that outputs were removed")
    unasked = await sandbox.run(python("import os; os.mkdir('results')"))
    hold(unasked.ok and not unasked.artifacts, f"without outputs: {shows(unasked)}")


async def _promises(sandbox: Sandbox) -> None:
    """What it says it guarantees is in the words of `GUARANTEES`, sorted."""
    completed = await sandbox.run(python("pass"))
    promised = list(completed.guarantees)
    hold(completed.isolation, "isolation is empty")
    hold(promised == sorted(set(promised) & set(GUARANTEES)), f"guarantees are {promised}")


RUNNING: dict[str, Callable[[Sandbox], Awaitable[None]]] = {
    "has a name": _named,
    "runs a program": _runs,
    "lays out files": _files,
    "passes arguments": _args,
    "passes input": _stdin,
    "gives input as a file": _stdin_file,
    "brings results back": _results,
    "passes variables": _env,
    "hides the host's variables": _secrets,
    "keeps stdout and stderr apart, as bytes": _streams,
    "tells exit codes": _exit_codes,
    "tells uncaught exceptions": _tracebacks,
    "collects files, and follows no link": _collects,
    "brings outputs back, and says what it left out": _outputs,
    "says what it guarantees": _promises,
}
