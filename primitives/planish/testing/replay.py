"""A model that returns recorded replies."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import anyio.lowlevel

from planish.abc import OnText
from planish.data.message import Reply, Request
from planish.data.usage import ModelPrice
from planish.errors import RecordingError
from planish.testing.scripted import as_reply, price_of_replies, stream

__all__ = ["ReplayModel"]


class ReplayModel:
    """A model that returns recorded replies, verbatim.

    The request determines the reply: the n-th attempt gets the n-th reply of its task, the i-th
    independent candidate the i-th. The model has no state, so that the order of requests does not
    matter.

    Args:
        replies: The replies of each `Task.id`, in order.
        sequence: "feedback" (the default): the replies of one loop, selected by attempt;
            "independent": samples, selected by candidate, then by attempt.
        name: The recorded model's name; "replay" by default.
        provider: The recorded model's provider; "planish" by default.
        price: The price, for `budget(usd=...)`. None (the default): "reported" if a recorded
            reply has a cost in `Usage.usd`, else free.
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

    def config(self) -> Mapping[str, Any]:
        """Return name, provider and the recorded replies, for fingerprints."""
        replies = {name: list(map(repr, found)) for name, found in self._replies.items()}
        return {"name": self._name, "provider": self._provider, "replies": replies}

    @property
    def price(self) -> ModelPrice:
        """The price of a token, "reported", or None if unknown."""
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
        """The recorded model's provider."""
        return self._provider

    async def reply(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Return the recorded reply for the request's task, attempt and candidate.

        Raises:
            RecordingError: the task is not in the recording, or it has no more replies.
        """
        await anyio.lowlevel.checkpoint()
        task = request.task_id
        replies = self._replies.get(task) if task is not None else None
        if replies is None:
            advice = ": give the task its id, Task(..., id='...')" if task is None else ""
            raise RecordingError(f"the recording of {self._name!r} has no task {task!r}{advice}")
        index = request.attempt - 1
        if self._sequence == "independent":
            index += request.candidate
        if index >= len(replies):
            raise RecordingError(
                f"recording exhausted: {self._name!r} has {len(replies)} replies for {task!r}, "
                f"and number {index + 1} was requested"
            )
        recorded = replies[index]
        reply = recorded if isinstance(recorded, Reply) else as_reply(recorded, request)
        if on_text is not None:
            stream(reply.text, on_text)
        return reply

    def __repr__(self) -> str:
        return f"ReplayModel({self._name!r})"
