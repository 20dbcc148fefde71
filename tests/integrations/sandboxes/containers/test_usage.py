"""The time that the supervisor charges to a program, from what the kernel shows of processes."""

import os

import pytest

from planish.guest.container import usage
from planish.guest.container.usage import Usage

TICKS = os.sysconf("SC_CLK_TCK")


class Kernel:
    """What `/proc` shows: by process, its own seconds and those of its ended children."""

    def __init__(self) -> None:
        self.processes: dict[int, tuple[float, float]] = {}
        self.started = 0

    def stat(self, pid: int) -> list[str]:
        """Return the fields after the name, as in `/proc/<pid>/stat`."""
        if pid not in self.processes:
            return []
        own, reaped = (round(seconds * TICKS) for seconds in self.processes[pid])
        times = [own // 2, own - own // 2, reaped // 2, reaped - reaped // 2]
        return [*("9" for _ in range(11)), *map(str, times), *("9" * 4), str(self.started), "9"]


def _no_delay(_: object) -> float:
    return 0.0


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> Kernel:
    made = Kernel()
    monkeypatch.setattr(usage, "_stat", made.stat)
    monkeypatch.setattr(usage, "_delay", _no_delay)
    monkeypatch.setattr(usage, "_reaped", lambda: 0.0)
    return made


def test_a_process_is_charged_for_itself_and_its_ended_children(kernel: Kernel) -> None:
    kernel.processes = {7: (1.5, 0.0), 8: (0.5, 2.0)}
    charged = Usage()
    charged.look([7, 8, 9])
    assert charged.cpu == 4.0


def test_a_process_that_ended_unseen_by_its_parent_stays_charged(kernel: Kernel) -> None:
    charged = Usage()
    for _ in range(3):
        kernel.processes = {7: (1.0, 0.0)}
        kernel.started += 1  # another process with the same number
        charged.look([7])
    charged.look([])
    assert charged.cpu == 3.0


def test_what_is_charged_never_falls(kernel: Kernel) -> None:
    kernel.processes = {7: (0.0, 3.0)}
    charged = Usage()
    charged.look([7])
    charged.look([])
    assert charged.cpu == 3.0
    assert charged.over(3.0, 60.0)
    assert not charged.over(3.5, 60.0)
    assert charged.over(3.5, 0.0)


def test_the_real_kernel_is_read() -> None:
    charged, before = Usage(), sum(os.times()[:4])
    charged.look([os.getpid()])
    assert before - 0.1 <= charged.cpu <= sum(os.times()[:4]) + 0.1
