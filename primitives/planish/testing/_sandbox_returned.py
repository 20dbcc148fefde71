"""Sandbox checks for what a run returns: output, results, files, and output while it runs."""

from collections.abc import Awaitable, Callable
from typing import Literal

import anyio

from planish.abc import LiveSandbox, Sandbox
from planish.data.program import ResourceLimits
from planish.testing._conformance import describe, expect, python_program

__all__ = ["RETURNED"]

_PATIENCE = 20.0  # seconds for the first output of a program, on a machine with other work


async def _streams(sandbox: Sandbox) -> None:
    """Check that stdout and stderr are returned separately, as bytes, even if not flushed."""
    source = "import sys; sys.stdout.buffer.write(b'out \\xff\\0'); sys.stderr.write('err')"
    completed = await sandbox.run(python_program(source))
    expect(
        completed.stdout == b"out \xff\0",
        f"stdout is {completed.stdout[:200]!r}",
        "b'out \\xff\\0'",
    )
    expect(completed.stderr == b"err", f"stderr is {completed.stderr[:200]!r}", "b'err'")


async def _results(sandbox: Sandbox) -> None:
    """Check that bytes written to the descriptor for results are returned, however it ends."""
    write = "import os\nfd = int(os.environ['PLANISH_RESULTS_FD'])\nos.write(fd, b'so far')\n"
    completed = await sandbox.run(python_program("pass", results=True))
    if completed.results is None:
        return  # the contract allows a sandbox without this channel
    expect(
        completed.results == b"",
        f"nothing was written, results are {completed.results!r}",
        "b''",
    )
    for end in ("", "os._exit(3)", "os.abort()"):
        completed = await sandbox.run(python_program(write + end, results=True))
        found = f"after {end!r}, results are {completed.results!r}"
        expect(completed.results == b"so far", found, "b'so far'")
    without = await sandbox.run(
        python_program("import os; print('PLANISH_RESULTS_FD' in os.environ)")
    )
    expect(without.results is None, f"without `results`, results are {without.results!r}", "None")
    expect(
        without.stdout == b"False\n",
        f"without `results`, the program has a descriptor for them: {describe(without)}",
        "no variable PLANISH_RESULTS_FD",
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
    expect(completed.ok, describe(completed), "exit code 0")
    expected = {"out/deep/file": bytes(range(256)), "main.py": source.encode()}
    wrong = sorted(name for name in paths if completed.files.get(name) != expected.get(name))
    expect(
        not wrong and set(completed.files) <= set(paths),
        f"of {paths}, these differ: {wrong}; files are {sorted(completed.files)}",
        f"the content of {sorted(expected)} and no others",
    )


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
    expect(completed.ok, describe(completed), "exit code 0")
    expected = {"deep/a.bin": bytes(range(256)), "b.txt": b"b"}
    found = sorted(completed.artifacts)
    expect(
        completed.artifacts == expected,
        f"artifacts are {found}",
        f"{sorted(expected)} with the content that was written",
    )
    findings = "\n".join(completed.findings)
    for left_out in ("link", "folder", "pipe"):
        expect(
            left_out in findings,
            f"the omission of {left_out} is not among the findings {findings!r}",
            "a finding with its path and the reason",
        )
    removed = await sandbox.run(python_program("import os; os.rmdir('results')", outputs="results"))
    expect(
        "results" in "\n".join(removed.findings),
        f"no finding says that outputs were removed: {removed.findings!r}",
        "a finding with the path of the folder",
    )
    without = await sandbox.run(python_program("import os; os.mkdir('results')"))
    expect(
        without.ok and not without.artifacts,
        f"without outputs: {describe(without)}, artifacts are {sorted(without.artifacts)}",
        "exit code 0 and no artifacts",
    )


async def _live(sandbox: Sandbox) -> None:
    """Check that `run_live`, if there is one, passes output on while the program runs."""
    if not isinstance(sandbox, LiveSandbox):
        return  # the contract allows a sandbox that returns output at the end only
    await _check_pieces(sandbox)
    begun = {"stdout": b"begun", "stderr": b"begun"}
    pieces = {"stdout": b"", "stderr": b""}
    scope = anyio.CancelScope()

    def stop_when_begun(stream: Literal["stdout", "stderr"], data: bytes) -> None:
        pieces[stream] += data
        if pieces == begun:
            scope.cancel()

    waits = "import os, time; os.write(1, b'begun'); os.write(2, b'begun'); time.sleep(60)"
    with anyio.move_on_after(_PATIENCE), scope:
        await sandbox.run_live(python_program(waits), stop_when_begun)
    expect(pieces == begun, f"while the program ran, {pieces} was passed on", repr(begun))
    await _check_raising(sandbox)


async def _check_pieces(sandbox: LiveSandbox) -> None:
    """Check that the pieces of a stream, joined, are what is returned of it."""
    source = "import os\nfor n in range(400): os.write(1, b'%040d' % n); os.write(2, b'%040d' % -n)"
    for most in (1_000_000, 10_000):
        pieces = {"stdout": bytearray(), "stderr": bytearray()}

        def on_output(
            stream: Literal["stdout", "stderr"],
            data: bytes,
            pieces: dict[str, bytearray] = pieces,
        ) -> None:
            pieces[stream] += data

        program = python_program(source, limits=ResourceLimits(output_bytes=most))
        completed = await sandbox.run_live(program, on_output)
        for stream, returned in (("stdout", completed.stdout), ("stderr", completed.stderr)):
            passed_on = bytes(pieces[stream])
            expect(
                passed_on == returned,
                f"{len(passed_on)} bytes of {stream} were passed on, with the end "
                f"{passed_on[-20:]!r}",
                f"the {len(returned)} that were returned, with the end {returned[-20:]!r}",
            )


class _CallbackError(Exception):
    """Raised by `on_output`."""


async def _check_raising(sandbox: LiveSandbox) -> None:
    """Check that what `on_output` raises ends the program, and is raised as it is."""
    calls: list[bytes] = []

    def fail(_stream: Literal["stdout", "stderr"], data: bytes) -> None:
        calls.append(data)
        raise _CallbackError

    source = "import os, time\nos.write(1, b'1'); time.sleep(1); os.write(1, b'2'); time.sleep(60)"
    raised: BaseException | None = None
    with anyio.move_on_after(_PATIENCE):
        try:
            await sandbox.run_live(python_program(source), fail)
        except Exception as error:  # noqa: BLE001  # whatever it is, it is compared
            raised = error
    expect(
        isinstance(raised, _CallbackError),
        f"an on_output that raises made run_live raise {raised!r}",
        repr(_CallbackError()),
    )
    expect(len(calls) == 1, f"an on_output that had raised was called {len(calls)} times", "1")


RETURNED: dict[str, Callable[[Sandbox], Awaitable[None]]] = {
    "separates stdout and stderr, as bytes": _streams,
    "passes output on while it runs": _live,
    "returns results": _results,
    "collects files without following links": _collects,
    "returns outputs and reports omissions": _outputs,
}
