"""Run programs and steps of sessions through the seam: `execute` and `execute_step`."""

from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from dataclasses import replace
from typing import cast

from opentelemetry.util.types import AttributeValue

from planish.abc import Sandbox, Session
from planish.context.admission import Admission, admit
from planish.context.budget import Budget
from planish.context.demand import Demand
from planish.context.interception import Effect, not_async
from planish.context.path import current_path
from planish.context.scope import Scope, current
from planish.data.program import Completed, Program
from planish.data.usage import Usage, is_amount
from planish.effects.call import perform
from planish.errors import WiringError
from planish.telemetry import names
from planish.telemetry.lifecycle import SandboxRunEvents
from planish.telemetry.metrics import instruments, timed
from planish.telemetry.spans import span_scope, without_none

__all__ = ["execute", "execute_step"]


async def execute(sandbox: Sandbox, program: Program, *, identity: str | None = None) -> Completed:
    """Run a program in a sandbox, within the scope's budgets, and trace the call.

    Args:
        sandbox: The sandbox.
        program: The program, with its limits.
        identity: What a journal knows the program by, if it has random parts: a digest of the
            others. None (the default) for the program itself.

    Raises:
        BudgetExceededError: a budget has no sandbox time left, or the program used it up.
        SandboxError: as `Sandbox.run`, and so for its other errors.
    """

    async def run(seconds: float) -> Completed:
        limits = program.limits
        limited = program
        if seconds != limits.seconds:
            limited = replace(program, limits=replace(limits, seconds=seconds))
        return await _awaitable("the sandbox", sandbox.name, sandbox.run(limited))

    made: Effect[Completed] = Effect(
        "sandbox", sandbox.name, program, Completed, current_path(), identity
    )
    return await _run_within_budgets(made, run, program.limits.seconds)


async def execute_step(session: Session, code: str, *, seconds: float = 30.0) -> Completed:
    """Run one step of code in a session, within the scope's budgets, and trace the call.

    A journal must not answer it from a record as long as later steps run: they need what it
    has changed in the session.

    Args:
        session: The session; its state is kept for the next step.
        code: The source code of the step.
        seconds: The step's time limit, in wall seconds.

    Raises:
        BudgetExceededError: a budget has no sandbox time left, or the step used it up.
        SandboxError: as `Session.run`, and so for its other errors.
    """

    async def run(seconds: float) -> Completed:
        return await _awaitable("the session", session.name, session.run(code, seconds=seconds))

    made: Effect[Completed] = Effect("session", session.name, code, Completed, current_path())
    return await _run_within_budgets(made, run, seconds)


def _awaitable(owner: str, name: str, made: Awaitable[Completed]) -> Awaitable[Completed]:
    """Return what `run` returned, if it can be awaited."""
    if not isinstance(cast("object", made), Awaitable):
        raise not_async(owner, name, made)
    return made


async def _run_within_budgets(
    made: Effect[Completed], run: Callable[[float], Awaitable[Completed]], seconds: float
) -> Completed:
    """Call `run` with a time limit: `seconds`, or less if a budget has less left."""
    scope = current()
    tightest = min(scope.budgets, key=Budget.sandbox_seconds, default=None)
    allowed = seconds

    async def traced() -> Completed:
        nonlocal allowed
        allowed = seconds if tightest is None else min(seconds, tightest.sandbox_seconds())
        return await _run_tool(made.name, run, allowed, scope)

    reserve = _RunReserve(made.name, seconds)
    completed = await perform(made, traced, reserve, nests="executing")
    if tightest is not None and completed.limit == "seconds" and allowed < seconds:
        # The budget ended the program, not its own limit: this is no result of the program.
        raise tightest.exceeded("sandbox_seconds")
    return completed


class _RunReserve:
    """The time of one program in the sandbox.

    Args:
        name: The sandbox.
        seconds: The program's own time limit.
    """

    def __init__(self, name: str, seconds: float) -> None:
        self.name = name
        self._seconds = seconds

    async def admit(self, scope: Scope) -> Admission:
        limits = {"sandbox_seconds": self._seconds}
        demand = Demand(self.name, limits, {"sandbox_seconds": 0.0})
        return await admit(scope.budgets, demand, nested=scope.calling or scope.executing)

    def used(self, reply: Completed) -> Usage:
        return Usage(sandbox_runs=1, sandbox_seconds=reply.duration)


def _require_sound(name: str, completed: Completed) -> None:
    """Check that a sandbox of a user's own has returned bytes, and numbers that can be added.

    Raises:
        WiringError: it has not; the message names the field.
    """
    expected = {
        "exit_code": (isinstance(cast("object", completed.exit_code), int | None), "a number"),
        "stdout": (isinstance(cast("object", completed.stdout), bytes), "bytes"),
        "stderr": (isinstance(cast("object", completed.stderr), bytes), "bytes"),
        "results": (isinstance(cast("object", completed.results), bytes | None), "bytes"),
        "duration": (is_amount(completed.duration), "seconds, at least 0"),
    }
    for field, (is_right, kind) in expected.items():
        if not is_right:
            value = getattr(completed, field)
            raise WiringError(
                f"the sandbox {name!r} returned Completed({field}={value!r:.60}): must be {kind}"
            )


async def _run_tool(
    name: str, run: Callable[[float], Awaitable[Completed]], seconds: float, scope: Scope
) -> Completed:
    dims: dict[str, AttributeValue] = {
        names.OPERATION: "execute_tool",
        names.TOOL_NAME: name,
        names.TOOL_TYPE: "function",
    }
    span_name = f"execute_tool {name}"
    with (
        timed(instruments(scope).tool, dims),
        span_scope(span_name, dims) as span,
        nullcontext() if scope.unobserved else SandboxRunEvents(name, scope) as call,
    ):
        completed = await run(seconds)
        if not isinstance(cast("object", completed), Completed):
            raise WiringError(
                f"the sandbox {name!r} returned {repr(completed)[:60]} from `run`; return a "
                "planish.data.Completed(exit_code=..., stdout=...)"
            )
        _require_sound(name, completed)
        if call is not None:
            call.completed = completed
        instruments(scope).sandbox_seconds.add(completed.duration, dict(dims))
        values: dict[str, AttributeValue | None] = {
            names.EXIT_CODE: completed.exit_code,
            names.SANDBOX_ISOLATION: completed.isolation,
            names.SANDBOX_GUARANTEES: completed.guarantees or None,
            names.SANDBOX_ID: completed.sandbox_id,
            names.SANDBOX_LIMIT: completed.limit,
        }
        span.set_attributes(without_none(values))
    return completed
