"""The limits of a program are checked where they are written."""

from typing import Any

import pytest

from planish.data.program import ResourceLimits

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
