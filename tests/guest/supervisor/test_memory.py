"""When the memory of several processes is measured exactly: only if it may be too much."""

import pytest

from planish.guest.supervisor import memory
from planish.guest.supervisor.memory import exceeds


@pytest.mark.parametrize(
    ("resident", "used", "expected"), [(10, 99, False), (11, 10, False), (11, 11, True)]
)
def test_memory_is_measured_exactly_if_what_is_resident_is_too_much(
    monkeypatch: pytest.MonkeyPatch, resident: int, used: int, *, expected: bool
) -> None:
    def counted(pids: list[int]) -> int:
        assert pids == [1, 2]
        return resident

    def measured(pids: list[int]) -> int:
        assert pids == [1, 2]
        return used

    monkeypatch.setattr(memory, "resident_memory", counted)
    monkeypatch.setattr(memory, "used_memory", measured)
    assert exceeds([1, 2], 10) is expected
