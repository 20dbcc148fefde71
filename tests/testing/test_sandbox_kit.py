"""The sandbox kit passes a good sandbox, and fails each kind of bad one."""

from collections.abc import Awaitable, Callable
from functools import partial

import anyio
import anyio.lowlevel
import pytest
from tests.testing.bad_sandboxes import BAD, Leaky, Trusting
from tests.testing.live_sandboxes import Good, Live

from planish.abc import Sandbox
from planish.data.program import Completed, Program, ResourceLimits
from planish.errors import SandboxError, UnsupportedError
from planish.testing._conformance import ConformanceError
from planish.testing._sandbox_limits import check_cancellation
from planish.testing.sandbox_kit import check_sandbox, sandbox_checks

pytestmark = pytest.mark.anyio

CHECKS: dict[str, Callable[[Sandbox], Awaitable[None]]] = {
    **sandbox_checks(promptly=5.0),
    "ends promptly when cancelled": partial(check_cancellation, 1.0),
}


@pytest.mark.parametrize(
    ("bad", "check", "found"), BAD, ids=[f"{bad.__name__}-{check}" for bad, check, _ in BAD]
)
async def test_a_bad_sandbox_fails_where_it_is_bad(
    bad: type[Good], check: str, found: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("planish.testing._sandbox_returned._PATIENCE", 1.0)
    sandbox = bad()
    try:
        with pytest.raises(AssertionError) as caught:
            await CHECKS[check](sandbox)
    finally:
        if isinstance(sandbox, Leaky | Trusting):
            sandbox.close()
    assert found in str(caught.value)
    assert "; expected " in str(caught.value)


async def test_a_sandbox_that_passes_output_on_passes() -> None:
    await CHECKS["passes output on while it runs"](Live())


@pytest.mark.parametrize("depth", ["../x", "a/../../x"])
async def test_what_a_wrong_sandbox_writes_outside_is_removed(depth: str) -> None:
    trusting = Trusting()
    for path in (depth, "inside"):
        await trusting.run(Program(main=path, files={path: b""}))
    assert len(trusting.left()) == 1  # it does write there
    with pytest.raises(AssertionError, match="was accepted"):
        await CHECKS["refuses paths outside the directory"](trusting)
    assert len(trusting.left()) == 1
    trusting.close()


def test_every_check_has_a_sandbox_that_fails_it() -> None:
    assert {check for _, check, _ in BAD} == set(CHECKS)


class Broken:
    name = "broken"

    async def run(self, program: Program) -> Completed:  # noqa: ARG002  # it runs nothing
        await anyio.lowlevel.checkpoint()
        raise SandboxError("out of order")


async def test_what_a_sandbox_raises_is_told_and_stops_no_other_check() -> None:
    with pytest.raises(ConformanceError) as caught:
        await check_sandbox(Broken())
    failures = caught.value.failures
    not_failed = {"has a name", "passes output on while it runs"}
    assert list(failures) == [name for name in CHECKS if name not in not_failed]
    assert set(failures.values()) == {"raised SandboxError: out of order"}
    assert "- runs a program: raised SandboxError: out of order" in str(caught.value)


class Modest(Good):
    def before(self, program: Program) -> Program:
        if program.limits.memory_mb != ResourceLimits().memory_mb:
            raise UnsupportedError("memory cannot be limited here")
        return program


async def test_a_limit_may_be_unsupported_if_the_sandbox_says_so() -> None:
    await CHECKS["stops at the memory limit"](Modest())
