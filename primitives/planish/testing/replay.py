"""A model that answers from recordings of real ones."""

from collections.abc import Mapping, Sequence
from typing import Literal

import anyio.lowlevel

from planish.abc import OnText
from planish.data.message import Reply, Request
from planish.data.usage import ModelPrice
from planish.errors import RecordingError
from planish.testing.scripted import as_reply, price_of_replies, stream

__all__ = ["ReplayModel"]


class ReplayModel:
    """A model that gives recorded replies, verbatim.

    Which reply is given follows from the request alone: the n-th attempt gets the n-th reply
    of its task, the i-th independent candidate the i-th. So it holds no state, and order of
    arrival does not matter.

    Args:
        replies: For each `Task.id` its replies, in order.
        sequence: "feedback" (the default): replies of one loop, chosen by attempt;
            "independent": samples, chosen by candidate, then by attempt.
        name: The recorded model's name.
        provider: Who served it; "planish" by default.
        price: What it costs, for `budget(usd=...)`. None (the default): "reported" where a
            recorded reply says in `Usage.usd` what it cost, else nothing.
    """

    def __init__(
        self,
        replies: Mapping[str, Sequence[str | Reply]],
        *,
        sequence: Literal["feedback", "independent"] = "feedback",
        name: str = "replay",
        provider: str = "planish",
        price: ModelPrice = None,
    ) -> None:
        self._replies = replies
        self._sequence = sequence
        self._name = name
        self._provider = provider
        self._price: ModelPrice = price

    @property
    def price(self) -> ModelPrice:
        """What it costs."""
        if self._price is None:
            every = (reply for replies in self._replies.values() for reply in replies)
            self._price = price_of_replies(every)
        return self._price

    @property
    def name(self) -> str:
        """The recorded model's name."""
        return self._name

    @property
    def provider(self) -> str:
        """Who served it."""
        return self._provider

    async def reply(self, request: Request, on_text: OnText | None = None) -> Reply:
        """The recorded reply for this task, attempt and candidate.

        Raises:
            RecordingError: the task is not in the recording, or it has no more replies.
        """
        await anyio.lowlevel.checkpoint()
        task = request.task_id
        known = self._replies.get(task) if task is not None else None
        if known is None:
            raise RecordingError(f"the recording of {self._name!r} has no task {task!r}")
        index = request.attempt - 1
        if self._sequence == "independent":
            index += request.candidate
        if index >= len(known):
            raise RecordingError(
                f"recording exhausted: {self._name!r} has {len(known)} replies for {task!r}, "
                f"and number {index + 1} was asked for"
            )
        found = known[index]
        reply = found if isinstance(found, Reply) else as_reply(found, request)
        if on_text is not None:
            stream(reply.text, on_text)
        return reply

    def __repr__(self) -> str:
        return f"ReplayModel({self._name!r})"
