"""What differs between providers, for whoever teaches planish another one."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import Literal, Protocol

from planish.data.message import FinishReason, Reply, Request
from planish.data.usage import Price, Usage
from planish_integrations.models.transport._errors import Complaint, ComplaintError, complaint_in
from planish_integrations.models.transport.json_values import Mender, mend

__all__ = [
    "Answer",
    "Complaint",
    "ComplaintError",
    "Framing",
    "NonsenseError",
    "Wire",
    "complaint_in",
]

Framing = Literal["events", "lines"]
"""How a stream is cut into JSON: server-sent events, or one object a line."""


class NonsenseError(Exception):
    """An answer that is not of the protocol; the message says in what."""


class Answer(ABC):
    """One answer as it is being read: what its JSON means, a wire says.

    Attributes:
        finish: Why the model stopped.
        tokens: What the provider counted.
        written: Of the input tokens, those written to the provider's cache: some charge more.
        model: The model that answered, as it names itself.
        id: The provider's id for the answer.
        begun: Something of an answer has come.
        over: Nothing more will come.
    """

    def __init__(self) -> None:
        self.finish: FinishReason = "unknown"
        self.tokens: Usage = Usage()
        self.written = 0
        self.model: str | None = None
        self.id: str | None = None
        self.begun = False
        self.over = False
        self._mender = Mender()
        self._texts: list[str] = []
        self._thoughts: list[str] = []
        self._untold: list[str] = []

    @property
    @abstractmethod
    def finished(self) -> bool:
        """All of it has come: text, finish reason and usage. A stream that ends before is cut."""

    @abstractmethod
    def whole(self, body: object) -> None:
        """Take the decoded body of an answer that was not streamed.

        Raises:
            ComplaintError: it holds an error.
            NonsenseError: it is not of the protocol.
        """

    @abstractmethod
    def event(self, event: object) -> None:
        """Take one decoded event of a stream.

        Raises:
            ComplaintError: it holds an error.
            NonsenseError: it is not of the protocol.
        """

    def say(self, text: str) -> None:
        """The next piece of text."""
        self._keep(self._mender.add(text))

    def think(self, text: str) -> None:
        """The next piece of reasoning, kept apart from text."""
        self._thoughts.append(text)

    def named(self, *, model: str = "", id: str = "") -> None:  # noqa: A002  # what it is called
        """Who answered, and under which id; what is empty leaves it as it is."""
        self.model = mend(model) or self.model
        self.id = mend(id) or self.id

    def told(self) -> str:
        """The text that has come since the last time this was asked."""
        text = "".join(self._untold)
        self._untold.clear()
        return text

    def end(self) -> None:
        """No more will come: text that waited for half a character is said."""
        self._keep(self._mender.end())

    def reply(self, price: Price | None = None) -> Reply:
        """The answer as far as it has come.

        Args:
            price: What the model costs, where known.
        """
        usage = replace(self.tokens, model_calls=1)
        if price is not None:
            usage = replace(usage, usd=price.cost(usage, cache_write_tokens=self.written))
        return Reply(
            text="".join(self._texts),
            finish_reason=self.finish,
            usage=usage,
            model=self.model,
            id=self.id,
            reasoning=mend("".join(self._thoughts)),
        )

    def _keep(self, text: str) -> None:
        if text:
            self._texts.append(text)
            self._untold.append(text)


class Wire(Protocol):
    """One provider's form of requests and answers; it holds configuration only."""

    @property
    def framing(self) -> Framing:
        """How its streams are cut into JSON."""
        ...

    @property
    def own_fields(self) -> frozenset[str]:
        """Fields of the body that only the wire may set."""
        ...

    def path(self, model: str, *, streamed: bool) -> str:
        """What stands behind the base URL; may have a query."""
        ...

    def headers(self, key: str) -> Mapping[str, str]:
        """The headers that bear the key, and others it wants; `key` may be empty."""
        ...

    def body(self, request: Request, model: str, *, streamed: bool) -> dict[str, object]:
        """The JSON to send; what the request leaves open is not sent at all.

        Raises:
            UnsupportedError: the request wishes what the provider does not take.
        """
        ...

    def answer(self) -> Answer:
        """A fresh answer to read into."""
        ...
