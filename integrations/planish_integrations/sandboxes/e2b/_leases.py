"""Sandboxes that wait for the next program of the task that used them."""

from contextvars import ContextVar
from typing import Self

import anyio

from ._handle import SandboxHandle

__all__ = ["Leases", "TaskOwner"]


class TaskOwner:
    """A task that runs programs, such as a branch of a pipeline.

    Attributes:
        task: Its number, which the event loop may reuse when the task is over.
    """

    __slots__ = ("task",)

    def __init__(self, task: int) -> None:
        self.task = task

    @classmethod
    def current(cls) -> Self:
        """Return the owner that stands for the running task, not for the task that started it."""
        task = anyio.get_current_task().id
        owner = _owner.get(None)
        if not isinstance(owner, cls) or owner.task != task:
            owner = cls(task)
            _owner.set(owner)
        return owner


_owner: ContextVar[TaskOwner | None] = ContextVar("planish_e2b_owner")


class Leases:
    """Sandboxes leased to owners, each waiting for the next program of its owner."""

    def __init__(self) -> None:
        self._held: list[tuple[TaskOwner, SandboxHandle]] = []

    def give(self, owner: TaskOwner, handle: SandboxHandle) -> None:
        """Keep a sandbox for this owner."""
        self._held.append((owner, handle))

    def take(self, owner: TaskOwner) -> SandboxHandle | None:
        """Take a sandbox kept for this owner; None if there is none."""
        return self._take_first([held for held in self._held if held[0] is owner][:1])

    def oldest(self) -> SandboxHandle | None:
        """Take the sandbox kept longest, preferably of an owner whose task has ended."""
        return self._take_first((self._of_ended_tasks() or self._held)[:1])

    def orphan(self) -> SandboxHandle | None:
        """Take a sandbox whose owner's task has ended; None if there is none."""
        return self._take_first(self._of_ended_tasks()[:1])

    def any(self) -> SandboxHandle | None:
        """Take any sandbox; None if there is none."""
        return self._take_first(self._held[:1])

    def _of_ended_tasks(self) -> list[tuple[TaskOwner, SandboxHandle]]:
        if not self._held:
            return []
        running = {task.id for task in anyio.get_running_tasks()}
        return [held for held in self._held if held[0].task not in running]

    def _take_first(self, chosen: list[tuple[TaskOwner, SandboxHandle]]) -> SandboxHandle | None:
        for held in chosen:
            self._held.remove(held)
            return held[1]
        return None
