"""Which answer a request gets."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import count

from planish.data.message import Reply
from planish.data.usage import Usage

from ._answer import Answer
from ._protocol import Asked, Wire, encode
from ._request import Received

__all__ = ["Replies", "Script", "Scripted"]

Scripted = str | Reply | Answer
Replies = Scripted | Iterable[Scripted] | Callable[[Received], Scripted]

_CHARS_PER_TOKEN = 4


class Script:
    """Replies in order, or one for all, or whatever a function says.

    Args:
        replies: See `LoopbackProvider`.
    """

    def __init__(self, replies: Replies) -> None:
        self._say: Callable[[Received], Scripted] | None = None
        self._always: Scripted | None = None
        self._listed: list[Scripted] = []
        if isinstance(replies, str | Reply | Answer):
            self._always = replies
        elif callable(replies):
            self._say = replies
        else:
            self._listed = list(replies)
        self.used = 0
        self._ids = count(1)

    @property
    def left(self) -> int:
        """How many listed replies nobody has had."""
        return len(self._listed) - self.used

    def next(self, received: Received) -> Scripted | None:
        """What this request gets, if it goes well; None when the list is at its end."""
        if self._say is not None:
            return self._say(received)
        if self._always is not None:
            return self._always
        return self._listed[self.used] if self.left > 0 else None

    def take(self) -> None:
        """It went well: the next request gets the next one."""
        self.used += self.left > 0

    def answer(self, scripted: Scripted, received: Received, wire: Wire, asked: Asked) -> Answer:
        """The HTTP answer in the protocol asked for."""
        if isinstance(scripted, Answer):
            return scripted
        reply = self._complete(scripted, received)
        # Under these names OpenAI and Anthropic send the id of a request.
        headers = {"x-request-id": f"req_{received.number}", "request-id": f"req_{received.number}"}
        if wire.streamed(asked):
            headers["content-type"] = wire.stream_type
            pieces = tuple(wire.stream(reply, asked))
            return Answer(pieces=pieces, headers=headers, stream=True)
        headers["content-type"] = "application/json"
        return Answer(pieces=(encode(wire.whole(reply, asked)),), headers=headers)

    def _complete(self, scripted: str | Reply, received: Received) -> Reply:
        if isinstance(scripted, str):
            sent = max(1, len(received.body) // _CHARS_PER_TOKEN)
            got = max(1, len(scripted) // _CHARS_PER_TOKEN)
            usage = Usage(input_tokens=sent, output_tokens=got, model_calls=1)
            scripted = Reply(text=scripted, usage=usage)
        return scripted if scripted.id else replace(scripted, id=f"loopback-{next(self._ids)}")
