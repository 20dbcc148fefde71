"""The replies of a loopback provider, and which request gets which."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import count

from planish.data.message import Reply
from planish.data.usage import Usage

from ._answer import Answer
from ._protocol import ChatRequest, ProviderProtocol, encode
from ._request import ReceivedRequest

__all__ = ["Replies", "Script", "ScriptItem"]

ScriptItem = str | Reply | Answer
Replies = ScriptItem | Iterable[ScriptItem] | Callable[[ReceivedRequest], ScriptItem]

_CHARS_PER_TOKEN = 4


class Script:
    """Replies in order, one reply for all requests, or a function of the request.

    Args:
        replies: See `LoopbackProvider`.
    """

    def __init__(self, replies: Replies) -> None:
        self._function: Callable[[ReceivedRequest], ScriptItem] | None = None
        self._always: ScriptItem | None = None
        self._listed: list[ScriptItem] = []
        if isinstance(replies, str | Reply | Answer):
            self._always = replies
        elif callable(replies):
            self._function = replies
        else:
            self._listed = list(replies)
        self._used = 0
        self._ids = count(1)

    @property
    def remaining(self) -> int:
        """How many listed replies have not been used."""
        return len(self._listed) - self._used

    def next(self, received: ReceivedRequest) -> ScriptItem | None:
        """Return the reply for a request; None if the list is used up."""
        if self._function is not None:
            return self._function(received)
        if self._always is not None:
            return self._always
        return self._listed[self._used] if self.remaining > 0 else None

    def advance(self) -> None:
        """Mark the current reply as used, after a correct answer."""
        self._used += self.remaining > 0

    def answer(
        self,
        item: ScriptItem,
        received: ReceivedRequest,
        protocol: ProviderProtocol,
        request: ChatRequest,
    ) -> Answer:
        """Return the HTTP answer in the request's protocol."""
        if isinstance(item, Answer):
            return item
        reply = self._complete(item, received)
        # The headers in which OpenAI and Anthropic send the id of a request.
        headers = {"x-request-id": f"req_{received.number}", "request-id": f"req_{received.number}"}
        if protocol.wants_stream(request):
            headers["content-type"] = protocol.stream_type
            pieces = tuple(protocol.stream_events(reply, request))
            return Answer(pieces=pieces, headers=headers, stream=True)
        headers["content-type"] = "application/json"
        return Answer(pieces=(encode(protocol.response_body(reply, request)),), headers=headers)

    def _complete(self, item: str | Reply, received: ReceivedRequest) -> Reply:
        if isinstance(item, str):
            input_tokens = max(1, len(received.body) // _CHARS_PER_TOKEN)
            output_tokens = max(1, len(item) // _CHARS_PER_TOKEN)
            usage = Usage(input_tokens=input_tokens, output_tokens=output_tokens, model_calls=1)
            item = Reply(text=item, usage=usage)
        return item if item.id else replace(item, id=f"loopback-{next(self._ids)}")
