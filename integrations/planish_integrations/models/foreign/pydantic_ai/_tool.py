"""A planish pipeline as a tool of pydantic-ai's agents."""

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from planish import Primitive
from planish.data.report import Report
from planish.data.task import Task
from planish.data.tests import Assertions
from planish.errors import TaskError
from planish_integrations.models.foreign.errors import require_package

if TYPE_CHECKING:
    from pydantic_ai import Tool

__all__ = ["as_tool"]


def as_tool(
    pipeline: Primitive[Task, Report],
    *,
    name: str = "write_code",
    description: str | None = None,
    task: Callable[..., Task] | None = None,
) -> "Tool[Any]":
    """Return a pydantic-ai tool that runs a pipeline, for agents that need tested code.

    The tool returns `passed`, `status`, `code`, `attempts`, `stop_reason` and, if the code did
    not pass, `feedback`. Arguments that make no valid task are reported to the agent, which may
    call the tool again; infrastructure errors end the agent's run as planish errors.

    Args:
        pipeline: A pipeline from a task to a report.
        name: The tool's name.
        description: The description for the agent; None (the default) for the docstring of
            `task`.
        task: Creates a task from the tool's arguments; its annotated parameters are the tool's.
            None (the default) for `requirement` and `tests`, which count as generated.

    Raises:
        UnsupportedError: pydantic-ai is not installed.
    """
    require_package("pydantic_ai", "pydantic-ai")
    from pydantic_ai import ModelRetry, Tool  # noqa: PLC0415  # imported when used

    make = write if task is None else task

    @functools.wraps(make)  # its parameters become the tool's
    async def call(*args: Any, **kwargs: Any) -> dict[str, object]:
        try:
            new_task = make(*args, **kwargs)
        except TaskError as error:
            raise ModelRetry(str(error)) from error
        return _summarize(await pipeline.run(new_task))

    call.__annotations__ = {**make.__annotations__, "return": dict[str, object]}
    return Tool[Any](call, name=name, description=description, takes_ctx=False)


def write(requirement: str, tests: str = "") -> Task:
    """Write Python code and run it until its tests pass.

    Args:
        requirement: What the code must do, with the names it must define.
        tests: Python assert statements that call the code; without them it is only run.
    """
    assertions = Assertions(tests, origin="generated") if tests.strip() else None
    return Task(requirement, tests=assertions)


def _summarize(report: Report) -> dict[str, object]:
    best = report.best
    summary: dict[str, object] = {
        "passed": report.passed,
        "status": report.status,
        "code": None if best is None else best.code,
        "attempts": report.attempts,
        "stop_reason": report.stop_reason,
    }
    return summary if report.passed else summary | {"feedback": report.feedback.render()}
