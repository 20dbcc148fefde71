"""Limits are checked where they are written, programs before any sandbox starts one."""

from typing import Any

import pytest

from planish.arguments import path_fault, text_fault
from planish.data.program import Program, ResourceLimits, check_program
from planish.errors import UnsupportedError

NAMES = ("seconds", "memory_mb", "output_bytes", "file_bytes", "processes", "disk_mb", "files")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", [0, -1])
def test_a_limit_is_more_than_nothing(name: str, value: int) -> None:
    wrong: dict[str, Any] = {name: value}
    with pytest.raises(ValueError, match=rf"Limits\({name}="):
        ResourceLimits(**wrong)


@pytest.mark.parametrize("value", [float("inf"), float("nan"), 0.0, -0.5])
def test_time_is_finite(value: float) -> None:
    with pytest.raises(ValueError, match="more than 0 and finite"):
        ResourceLimits(seconds=value)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", ["10", True, None, b"1"])
def test_a_limit_is_a_number(name: str, value: Any) -> None:
    with pytest.raises(TypeError, match=rf"Limits\({name}=.*number"):
        ResourceLimits(**{name: value})


def test_only_time_comes_in_parts() -> None:
    assert ResourceLimits(seconds=0.5).seconds == 0.5
    with pytest.raises(TypeError, match="a whole number"):
        ResourceLimits(disk_mb=0.5)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


ABSENT = "has a NUL or lone surrogate, which the system cannot take"
PATHS = {
    "a/b.txt": None,
    ".hidden": None,
    "..a": None,
    "é": None,
    "x" * 255: None,
    "x" * 256: "has a part of more than 255 bytes",
    "é" * 128: "has a part of more than 255 bytes",
    "/".join(["x" * 249] * 4): None,
    "/".join(["x" * 249] * 4) + "xy": "is longer than 1000 bytes",
    "/a": "is absolute",
    "../a": "leads out of the working directory",
    "a/../b": "leads out of the working directory",
    "": "is not a plain path to a file",
    ".": "is not a plain path to a file",
    "./a": "is not a plain path to a file",
    "a//b": "is not a plain path to a file",
    "a/": "is not a plain path to a file",
    "a\0": ABSENT,
    "\ud800": ABSENT,
}


@pytest.mark.parametrize(("path", "fault"), PATHS.items(), ids=range(len(PATHS)))
def test_what_is_wrong_with_a_path_is_said(path: str, fault: str | None) -> None:
    assert path_fault(path) == fault
    assert text_fault(path) == (ABSENT if fault == ABSENT else None)


def program(**fields: Any) -> Program:
    plain: dict[str, Any] = {"main": "m.py", "files": {"m.py": b""}}
    return Program(**(plain | fields))


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"files": {"m.py": b"", "/a": b""}}, r"Program\.files: '/a' is absolute"),
    ({"collect": ("../a",)}, r"Program\.collect: '\.\./a' leads out"),
    ({"outputs": "/out"}, r"Program\.outputs: '/out' is absolute"),
    ({"outputs": "m.py"}, r"Program\.outputs: 'm\.py' is a file, not a folder"),
    ({"outputs": "m.py/out"}, "m.py"),
    ({"files": {"m.py": b"", "a": b"", "a/b": b""}}, "'a'"),
    ({"main": "other.py"}, "other.py"),
    ({"files": {"m.py": b" " * ((16 << 20) + 1)}}, "m.py"),
    ({"args": ("a\0",)}, r"Program\.args"),
    ({"env": {"A": "\0"}}, r"Program\.env"),
    ({"env": {"\0": "a"}}, r"Program\.env"),
    ({"env": {"": "a"}}, r"Program\.env: '' cannot be the name"),
    ({"env": {"A=B": "a"}}, r"Program\.env: 'A=B' cannot be the name"),
]


@pytest.mark.parametrize(("fields", "says"), WRONG, ids=range(len(WRONG)))
def test_a_program_that_no_sandbox_can_start_is_refused(fields: dict[str, Any], says: str) -> None:
    with pytest.raises(UnsupportedError, match=says):
        check_program(program(**fields))


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"outputs": "out", "collect": ("m.py", "absent")},
        {"files": {"m.py": b" " * (16 << 20), "a/b": b"", "a/c": b"\xff"}},
        {"args": ("", "-x", "é"), "env": {"A": "", "B": "x=y"}},
    ],
)
def test_what_is_on_the_edge_is_accepted(fields: dict[str, Any]) -> None:
    check_program(program(**fields))
