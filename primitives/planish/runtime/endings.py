"""Run the branches of a combinator, and let a journal record how they ended."""

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from typing import Any

import anyio

from planish.context.interception import decide
from planish.context.path import current_path, format_path
from planish.context.replay import Endings
from planish.context.scope import current
from planish.errors import RecordingError
from planish.runtime.branches import BranchResult
from planish.runtime.suspensions import Suspensions

__all__ = ["run_branches"]


async def run_branches(
    parent_name: str,
    results: Sequence[BranchResult[Any]],
    run_all: Callable[[], Awaitable[None]],
    run_one: Callable[[int], Coroutine[Any, Any, Any]],
) -> None:
    """Run all branches; or, if it is recorded how they ended, bring them to the same ends.

    How they end depends on time and on the world, so it is an effect. It is not recorded if all
    of them raised: then the run may be resumed to try again.

    Args:
        parent_name: The combinator's name: "Race".
        results: The results of the branches.
        run_all: Runs all branches and fills in their results.
        run_one: Runs one branch, by index, and fills in its result.

    Raises:
        Suspended: a branch is suspended, and no other has won.
        RecordingError: a branch that won when this was recorded does not pass now.
    """

    async def run_live() -> None:
        await run_all()
        if _winner(results) is None:
            _raise_suspensions(results)

    async def run() -> Endings:
        await run_live()
        if not any(result.has_outcome for result in results):
            raise _AllRaisedError
        cut = tuple(result.reached() for result in results)
        return Endings(cut=cut, winner=_winner(results))

    if current().interceptors:
        with suppress(_AllRaisedError):
            await decide(
                parent_name,
                run,
                Endings,
                repeat=lambda endings: _repeat(parent_name, results, endings, run_one),
            )
    else:
        await run_live()


async def _repeat(
    parent_name: str,
    results: Sequence[BranchResult[Any]],
    endings: Endings,
    run_one: Callable[[int], Coroutine[Any, Any, Any]],
) -> None:
    """Run the branches again that had an outcome, and restore the others."""
    for index, result in enumerate(results):
        result.beaten = index != endings.winner
    async with anyio.create_task_group() as group:
        for index, (result, reached) in enumerate(zip(results, endings.cut, strict=False)):
            if reached is None:
                group.start_soon(run_one, index)
            else:
                result.restore(reached)
    if _winner(results) != endings.winner:
        raise RecordingError(
            f"branch {endings.winner} of {parent_name} at {format_path(current_path())!r} won "
            "when this was recorded, and does not pass now: the pipeline has changed"
        )


def _raise_suspensions(results: Sequence[BranchResult[Any]]) -> None:
    suspensions = Suspensions()
    for result in results:
        if result.suspended is not None:
            suspensions.add(result.suspended)
    suspensions.raise_first()


class _AllRaisedError(Exception):
    """Every branch has raised, so there is nothing to record."""


def _winner(results: Sequence[BranchResult[Any]]) -> int | None:
    return next((i for i, result in enumerate(results) if result.ending == "won"), None)
