"""Programs that no sandbox can lay out or start are refused before anything runs."""

from collections.abc import Callable

import pytest
from tests.integrations.sandboxes.places import Place

from planish.abc import KnowsLanguages, Sandbox
from planish.data.program import Program
from planish.errors import UnsupportedError

pytestmark = pytest.mark.anyio

Python = Callable[..., Program]

PATHS = [
    ("/etc/passwd", "is absolute"),
    ("../x", "leads out"),
    ("a/../../x", "leads out"),
    ("a/..", "leads out"),
    ("", "not a plain path"),
    (".", "not a plain path"),
    ("./a", "not a plain path"),
    ("a/", "not a plain path"),
    ("a//b", "not a plain path"),
    ("a\0b", "NUL"),
    ("\ud800", "surrogate"),
    ("x" * 256, "255 bytes"),
    ("/".join(["d" * 200] * 6), "1000 bytes"),
]
TEXTS: list[dict[str, object]] = [
    {"args": ("a\0b",)},
    {"args": ("\ud800",)},
    {"env": {"A\0": "x"}},
    {"env": {"A": "x\0"}},
    {"env": {"A=B": "x"}},
    {"env": {"": "x"}},
]


async def test_a_path_outside_the_working_directory_is_refused(
    sandbox: Sandbox, python: Python
) -> None:
    for path, reason in PATHS:
        files = {"main.py": b"pass"}
        for fields in ({"files": {**files, path: b""}}, {"collect": (path,)}, {"outputs": path}):
            with pytest.raises(UnsupportedError, match=reason):
                await sandbox.run(python("pass", **fields))


async def test_a_file_in_the_place_of_a_folder_is_refused(sandbox: Sandbox, python: Python) -> None:
    files = {"main.py": b"pass", "a": b"", "a/b/c": b""}
    with pytest.raises(UnsupportedError, match=r"'a' is a file, and 'a/b/c' is in it"):
        await sandbox.run(python("", files=files))


async def test_a_main_file_that_is_not_among_the_files_is_refused(
    sandbox: Sandbox, python: Python
) -> None:
    with pytest.raises(UnsupportedError, match=r"'main.py' is not among Program.files \('a.py'\)"):
        await sandbox.run(python("", files={"a.py": b""}))


async def test_text_that_the_system_cannot_take_is_refused(
    sandbox: Sandbox, python: Python
) -> None:
    for fields in TEXTS:
        with pytest.raises(UnsupportedError, match="Program"):
            await sandbox.run(python("pass", **fields))


async def test_a_program_of_fifty_megabytes_is_refused(sandbox: Sandbox, python: Python) -> None:
    with pytest.raises(UnsupportedError, match="bytes of source"):
        await sandbox.run(python(b"#" * (50 << 20)))


async def test_arguments_that_are_too_long_for_the_system_are_refused(
    sandbox: Sandbox, place: Place, python: Python
) -> None:
    for args in (("x" * 100_000,) * 50, ("x" * 131_072,)):
        program = python("import sys; print(len(sys.argv))", args=args)
        if place.tier is not None:  # no command is executed
            assert (await sandbox.run(program)).stdout == b"%d\n" % (len(args) + 1)
            continue
        with pytest.raises(UnsupportedError, match=r"Program\.args .* put the data in"):
            await sandbox.run(program)


async def test_an_unknown_language_is_named_with_the_known_ones(sandbox: Sandbox) -> None:
    program = Program(language="cobol", main="m", files={"m": b""})
    with pytest.raises(UnsupportedError, match=r"no language 'cobol'.*python.*languages"):
        await sandbox.run(program)
    assert isinstance(sandbox, KnowsLanguages)
    with pytest.raises(UnsupportedError, match=r"no language 'cobol'.*python.*languages"):
        sandbox.require_language("cobol")
    sandbox.require_language("python")
