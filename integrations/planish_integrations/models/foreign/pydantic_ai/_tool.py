"""A planish pipeline as a tool of pydantic-ai's agents."""

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from planish import Primitive
from planish.data.report import Report
from planish.data.task import Task
from planish.data.tests import Assertions
from planish.errors import TaskError
from planish_integrations.models.foreign.errors import needed

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
    """Make a pipeline a tool that an agent may call for code that was seen to work.

    The agent is given what became of it: `passed`, `status`, `code`, `attempts`, `stop_reason`
    and, where it did not pass, `feedback`. A task the agent got wrong is told to it, to be
    tried again; trouble of the world ends the agent's run as the planish error it is.

    Args:
        pipeline: From a task to a report.
        name: The tool's name.
        description: What the agent is told of it; None (the default) for the docstring of
            `task`.
        task: Makes a task of the tool's arguments, which are this function's, annotated. None
            (the default) takes `requirement`, and `tests`, which count as generated.

    Raises:
        UnsupportedError: pydantic-ai is not installed.
    """
    needed("pydantic_ai", "pydantic-ai")
    from pydantic_ai import ModelRetry, Tool  # noqa: PLC0415  # imported when used

    make = write if task is None else task

    @functools.wraps(make)  # its arguments are the tool's
    async def call(*args: Any, **kwargs: Any) -> dict[str, object]:
        try:
            wanted = make(*args, **kwargs)
        except TaskError as error:
            raise ModelRetry(str(error)) from error
        return _told(await pipeline.run(wanted))

    call.__annotations__ = {**make.__annotations__, "return": dict[str, object]}
    return Tool[Any](call, name=name, description=description, takes_ctx=False)


def write(requirement: str, tests: str = "") -> Task:
    """Write Python code and run it until its tests pass.

    Args:
        requirement: What the code must do, with the names it must define.
        tests: Python assert statements that call the code; without them it is only run.
    """
    known = Assertions(tests, origin="generated") if tests.strip() else None
    return Task(requirement, tests=known)


def _told(report: Report) -> dict[str, object]:
    best = report.best
    told: dict[str, object] = {
        "passed": report.passed,
        "status": report.status,
        "code": None if best is None else best.code,
        "attempts": report.attempts,
        "stop_reason": report.stop_reason,
    }
    return told if report.passed else told | {"feedback": report.feedback.render()}
