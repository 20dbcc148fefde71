"""Who runs programs one after another: the branch of a pipeline, known by its task."""

from contextvars import ContextVar
from typing import Self

import anyio

from ._box import Box

__all__ = ["Branch", "Leases"]


class Branch:
    """One task that runs programs.

    Attributes:
        task: Its number; the event loop may give it to another one when the task is over.
    """

    __slots__ = ("task",)

    def __init__(self, task: int) -> None:
        self.task = task

    @classmethod
    def current(cls) -> Self:
        """The one of the running task: tasks it starts see its mark, and are not it."""
        task = anyio.get_current_task().id
        branch = _branch.get(None)
        if not isinstance(branch, cls) or branch.task != task:
            branch = cls(task)
            _branch.set(branch)
        return branch


_branch: ContextVar[Branch | None] = ContextVar("planish_e2b_branch")


class Leases:
    """Sandboxes that wait for the next program of the branch they belong to."""

    def __init__(self) -> None:
        self._held: list[tuple[Branch, Box]] = []

    def give(self, branch: Branch, box: Box) -> None:
        """Let it wait for this branch."""
        self._held.append((branch, box))

    def take(self, branch: Branch) -> Box | None:
        """What waits for this branch."""
        return self._out([held for held in self._held if held[0] is branch][:1])

    def oldest(self) -> Box | None:
        """The one that has waited longest, of a branch that is over if there is one."""
        return self._out((self._over() or self._held)[:1])

    def orphan(self) -> Box | None:
        """One whose branch is over."""
        return self._out(self._over()[:1])

    def any(self) -> Box | None:
        """One of them."""
        return self._out(self._held[:1])

    def _over(self) -> list[tuple[Branch, Box]]:
        if not self._held:
            return []
        running = {task.id for task in anyio.get_running_tasks()}
        return [held for held in self._held if held[0].task not in running]

    def _out(self, chosen: list[tuple[Branch, Box]]) -> Box | None:
        for held in chosen:
            self._held.remove(held)
            return held[1]
        return None
