"""What the supervisor asks of the system for itself."""

import os

from tests.guest.linux.children import in_child

from planish.guest.supervisor.system import silence_streams


def test_a_silent_process_holds_none_of_its_streams() -> None:
    """Whoever reads them sees their end, while the process goes on."""

    def act() -> object:
        pipes = [os.pipe() for _ in range(3)]
        os.dup2(pipes[0][0], 0)
        os.dup2(pipes[1][1], 1)
        os.dup2(pipes[2][1], 2)
        for number in (pipes[0][0], pipes[1][1], pipes[2][1]):
            os.close(number)
        before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208  # not paths
        silence_streams()
        kept = len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208
        found: list[object] = [kept]
        for reader, _ in pipes[1:]:
            os.set_blocking(reader, False)
            found.append(os.read(reader, 1) == b"")
        try:
            os.write(pipes[0][1], b"x")
        except BrokenPipeError:
            found.append("no reader")
        return [*found, os.read(0, 1) == b"", os.write(1, b"xy")]

    assert in_child(act) == [True, True, True, "no reader", True, 2]
