"""Who runs programs one after another: the branch of a pipeline, known by its task."""

from contextvars import ContextVar
from typing import Self
from weakref import ref

import anyio

from ._box import Box

__all__ = ["Branch", "Leases"]


class Branch:
    """One task that runs programs. It lives as long as the task's context does."""

    __slots__ = ("__weakref__", "task")

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
        self._held: list[tuple[ref[Branch], Box]] = []

    def give(self, branch: Branch, box: Box) -> None:
        """Let it wait for this branch."""
        self._held.append((ref(branch), box))

    def take(self, branch: Branch) -> Box | None:
        """What waits for this branch."""
        for held in self._held:
            if held[0]() is branch:
                self._held.remove(held)
                return held[1]
        return None

    def oldest(self) -> Box | None:
        """The one that has waited longest, of a branch that is over if there is one."""
        over = [held for held in self._held if held[0]() is None]
        for held in over or self._held:
            self._held.remove(held)
            return held[1]
        return None

    def orphans(self) -> list[Box]:
        """Those whose branch is over."""
        over = [held for held in self._held if held[0]() is None]
        for held in over:
            self._held.remove(held)
        return [box for _, box in over]

    def all(self) -> list[Box]:
        """All of them; none waits any more."""
        held, self._held = self._held, []
        return [box for _, box in held]
