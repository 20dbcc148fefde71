"""Which answer a request gets."""

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
    """Replies in order, or one for all, or whatever a function says.

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
        """How many listed replies nobody has had."""
        return len(self._listed) - self._used

    def next(self, received: ReceivedRequest) -> ScriptItem | None:
        """What this request gets, if it goes well; None when the list is at its end."""
        if self._function is not None:
            return self._function(received)
        if self._always is not None:
            return self._always
        return self._listed[self._used] if self.remaining > 0 else None

    def advance(self) -> None:
        """It went well: the next request gets the next one."""
        self._used += self.remaining > 0

    def answer(
        self,
        scripted: ScriptItem,
        received: ReceivedRequest,
        protocol: ProviderProtocol,
        request: ChatRequest,
    ) -> Answer:
        """The HTTP answer in the protocol request for."""
        if isinstance(scripted, Answer):
            return scripted
        reply = self._complete(scripted, received)
        # Under these names OpenAI and Anthropic send the id of a request.
        headers = {"x-request-id": f"req_{received.number}", "request-id": f"req_{received.number}"}
        if protocol.wants_stream(request):
            headers["content-type"] = protocol.stream_type
            pieces = tuple(protocol.stream_events(reply, request))
            return Answer(pieces=pieces, headers=headers, stream=True)
        headers["content-type"] = "application/json"
        return Answer(pieces=(encode(protocol.response_body(reply, request)),), headers=headers)

    def _complete(self, scripted: str | Reply, received: ReceivedRequest) -> Reply:
        if isinstance(scripted, str):
            sent = max(1, len(received.body) // _CHARS_PER_TOKEN)
            got = max(1, len(scripted) // _CHARS_PER_TOKEN)
            usage = Usage(input_tokens=sent, output_tokens=got, model_calls=1)
            scripted = Reply(text=scripted, usage=usage)
        return scripted if scripted.id else replace(scripted, id=f"loopback-{next(self._ids)}")
