"""What the sandbox kit makes of sandboxes that refuse programs or are cancelled."""

import os

import anyio
import pytest
from tests.testing.results import CHECKS, RIGHT, Results, ended

from planish.data.program import Completed, Program, ResourceLimits
from planish.errors import MisuseError, RequestError, UnsupportedError
from planish.testing._sandbox_limits import check_cancellation

pytestmark = pytest.mark.anyio


class Refusing(Results):
    """A sandbox that raises an error, or none, for each program."""

    def __init__(self, error: Exception | None) -> None:
        super().__init__([])
        self.error = error

    async def run(self, program: Program) -> Completed:
        self.programs.append(program)
        if self.error is None:
            return ended(b"it ran")
        raise self.error


REFUSALS = ["refuses paths outside the directory", "refuses an absent main file"]


async def test_a_refusal_is_an_error_of_misuse() -> None:
    for check in REFUSALS:
        refusing = Refusing(RequestError("no"))
        assert isinstance(refusing.error, MisuseError)
        await CHECKS[check](refusing)
        assert len(refusing.programs) == (6 if "paths" in check else 1)
        with pytest.raises(AssertionError, match=r"was accepted: exit_code=0.*it ran"):
            await CHECKS[check](Refusing(None))
        with pytest.raises(OSError, match="not of misuse"):
            await CHECKS[check](Refusing(OSError("not of misuse")))


async def test_an_unknown_language_is_named() -> None:
    check = CHECKS["refuses an unknown language"]
    await check(Refusing(UnsupportedError("no klingon here")))
    with pytest.raises(AssertionError, match="does not name it: no"):
        await check(Refusing(UnsupportedError("no")))
    with pytest.raises(AssertionError, match="a program in an unknown language ran"):
        await check(Refusing(None))


async def test_the_variable_of_the_host_is_removed_again() -> None:
    before = dict(os.environ)
    during: dict[str, str] = {}

    class Looking(Results):
        async def run(self, program: Program) -> Completed:
            during.update(os.environ)
            return await super().run(program)

    await CHECKS["hides the host's variables"](Looking([ended(b"{}")]))
    assert dict(os.environ) == before
    assert len(during.keys() - before.keys()) == 1


async def test_a_variable_of_the_host_that_a_program_prints_fails() -> None:
    class Open(Results):
        async def run(self, program: Program) -> Completed:
            self.programs.append(program)
            return ended(repr(dict(os.environ)).encode())

    with pytest.raises(AssertionError, match="a variable of the host is visible"):
        await CHECKS["hides the host's variables"](Open([]))


async def test_limits_may_be_unsupported() -> None:
    for check in ("memory", "process", "file size"):
        await CHECKS[f"stops at the {check} limit"](Refusing(UnsupportedError("no")))


async def test_the_limits_of_the_programs_are_those_that_are_checked() -> None:
    limits: dict[str, list[ResourceLimits]] = {}
    for check, results in RIGHT.items():
        sandbox = Results(results)
        await CHECKS[check](sandbox)
        limits[check] = [program.limits for program in sandbox.programs]
    assert [one.seconds for one in limits["stops at the time limit"]] == [1.0, 1.0]
    assert [one.seconds for one in limits["counts the time of all processes"]] == [1.0, 1.0]
    assert {one.output_bytes for one in limits["stops at the output limit"]} == {10_000}
    assert [one.memory_mb for one in limits["stops at the memory limit"]] == [256]
    assert [one.processes for one in limits["stops at the process limit"]] == [16]
    assert [one.file_bytes for one in limits["stops at the file size limit"]] == [100_000]


class Cancelled(Results):
    """A sandbox that waits until it is cancelled, and then has this result."""

    async def run(self, program: Program) -> Completed:
        self.programs.append(program)
        if len(self.programs) == 1:
            await anyio.sleep(60)
        return self.left.pop(0)


async def test_the_run_after_a_cancelled_one_works() -> None:
    await check_cancellation(1.0, Cancelled([ended(b"next\n")]))


async def test_a_run_after_a_cancelled_one_that_fails_is_told() -> None:
    with pytest.raises(AssertionError, match="the run after it: exit_code=0"):
        await check_cancellation(1.0, Cancelled([ended(b"last\n")]))
