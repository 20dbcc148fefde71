"""Sandbox checks for refusals: paths outside, an absent main file, an unknown language."""

import os
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from uuid import uuid4

from planish.abc import Sandbox
from planish.data.program import Program
from planish.errors import MisuseError, UnsupportedError
from planish.testing._conformance import describe, expect, python_program

__all__ = ["REFUSALS"]


async def _paths_outside(sandbox: Sandbox) -> None:
    """Check that a path outside the working directory is refused before anything runs."""
    name = f"planish-outside-{uuid4().hex[:8]}"
    with tempfile.TemporaryDirectory() as folder:  # removed with what a wrong sandbox writes there
        absolute = f"{folder}/{name}"
        try:
            for path in (absolute, f"../{name}", f"a/../../{name}"):
                what = "an absolute path" if path == absolute else repr(path)
                for fields in ({"files": {"main.py": b"", path: b""}}, {"collect": (path,)}):
                    program = python_program("pass", **fields)
                    await _check_refusal(sandbox, program, f"{what} in {[*fields]}")
        except AssertionError:  # it was accepted, so a file may have been written
            await _remove_outside(sandbox, name)
            raise


async def _remove_outside(sandbox: Sandbox, name: str) -> None:
    """Remove the file that a wrong sandbox has written above its working directory here."""
    source = "import os, sys; sys.stdout.buffer.write(os.fsencode(os.getcwd()))"
    try:
        place = Path(os.fsdecode((await sandbox.run(python_program(source))).stdout))
    except Exception:  # noqa: BLE001 - it runs nothing, so it has written nothing
        return
    for folder in (place.parent, place.parent.parent, Path(tempfile.gettempdir())):
        if folder.is_absolute():
            (folder / name).unlink(missing_ok=True)


async def _absent_main(sandbox: Sandbox) -> None:
    """Check that a `main` that is not among the files is refused."""
    await _check_refusal(
        sandbox, Program(main="main.py", files={"other.py": b""}), "an absent main"
    )


async def _unknown_language(sandbox: Sandbox) -> None:
    """Check that an unknown language is refused by an error that names it."""
    program = Program(language="klingon", main="main", files={"main": b""})
    try:
        await sandbox.run(program)
    except UnsupportedError as error:
        found = f"the error does not name it: {error}"
        expect("klingon" in str(error), found, "the word 'klingon' in the message")
        return
    expect(condition=False, found="a program in an unknown language ran", wanted="UnsupportedError")


async def _check_refusal(sandbox: Sandbox, program: Program, what: str) -> None:
    try:
        completed = await sandbox.run(program)
    except MisuseError:
        return
    found = f"{what} was accepted: {describe(completed)}"
    expect(condition=False, found=found, wanted="a MisuseError before anything runs")


REFUSALS: dict[str, Callable[[Sandbox], Awaitable[None]]] = {
    "refuses paths outside the directory": _paths_outside,
    "refuses an absent main file": _absent_main,
    "refuses an unknown language": _unknown_language,
}
