"""A model and a sandbox that answer from a script, and notice what is left of it."""

from collections.abc import Callable, Iterable, Sequence
from types import TracebackType
from typing import Generic, Self, TypeVar

import anyio
import anyio.lowlevel

from planish.abc import OnText
from planish.data.message import Reply, Request
from planish.data.program import Completed, Program
from planish.data.usage import FREE, ModelPrice, Usage
from planish.errors import RecordingError

__all__ = ["ScriptedModel", "ScriptedSandbox"]

Asked = TypeVar("Asked")
Answer = TypeVar("Answer")


class _Script(Generic[Asked, Answer]):
    """Answers in order; `with` fails at its end when some were never asked for."""

    def __init__(self, name: str, answers: Iterable[Answer | Exception]) -> None:
        self._name = name
        self._answers = list(answers)
        self.asked: list[Asked] = []
        """Everything that was asked, in order."""

    @property
    def name(self) -> str:
        """What it was called."""
        return self._name

    @property
    def left(self) -> int:
        """How many answers have not been asked for."""
        return len(self._answers) - len(self.asked)

    def _next(self, asked: Asked) -> Answer:
        self.asked.append(asked)
        number = len(self.asked)
        if number > len(self._answers):
            raise RecordingError(
                f"{self!r}: asked for answer {number}, but the script has {len(self._answers)}"
            )
        answer = self._answers[number - 1]
        if isinstance(answer, Exception):
            raise answer
        return answer

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None and self.left:
            raise AssertionError(f"{self!r}: {self.left} scripted answers were never asked for")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._name!r})"


class ScriptedModel(_Script[Request, "str | Reply"]):
    """A model that gives the replies of a script, in the order in which it is asked.

    Used with `with`, it fails when replies are left over at the end.

    Args:
        replies: Texts, replies, or exceptions to raise. Of a text, four characters are
            counted as a token.
        name: The model's name; "scripted" by default.
        seconds: How long each reply takes; 0.0 by default.
        price: What it costs, for `budget(usd=...)`. None (the default): "reported" where a reply
            of the script says in `Usage.usd` what it cost, else nothing.
    """

    def __init__(
        self,
        replies: Iterable[str | Reply | Exception],
        *,
        name: str = "scripted",
        seconds: float = 0.0,
        price: ModelPrice = None,
    ) -> None:
        super().__init__(name, replies)
        self._seconds = seconds
        self._price: ModelPrice = price or price_of_replies(self._answers)

    @property
    def price(self) -> ModelPrice:
        """What it costs."""
        return self._price

    @property
    def provider(self) -> str:
        """Always "planish"."""
        return "planish"

    @property
    def requests(self) -> Sequence[Request]:
        """Every request, in order."""
        return self.asked

    async def reply(self, request: Request, on_text: OnText | None = None) -> Reply:
        """The next reply of the script.

        Raises:
            RecordingError: the script has no more replies.
        """
        answer = self._next(request)
        await _wait(self._seconds)
        reply = answer if isinstance(answer, Reply) else as_reply(answer, request)
        if on_text is not None:
            stream(reply.text, on_text)
        return reply


Ending = Completed | Callable[[Program], Completed]


class ScriptedSandbox(_Script[Program, Ending]):
    """A sandbox that runs nothing and gives the endings of a script, in order.

    Used with `with`, it fails when endings are left over at the end.

    Args:
        endings: How each program ends, `Completed.results` included; or a function that makes
            that of the program; or exceptions to raise.
        name: The sandbox's name; "scripted" by default.
        seconds: How long each program takes; 0.0 by default.
    """

    def __init__(
        self,
        endings: Iterable[Ending | Exception],
        *,
        name: str = "scripted",
        seconds: float = 0.0,
    ) -> None:
        super().__init__(name, endings)
        self._seconds = seconds

    @property
    def programs(self) -> Sequence[Program]:
        """Every program, in order."""
        return self.asked

    async def run(self, program: Program) -> Completed:
        """The next ending of the script.

        Raises:
            RecordingError: the script has no more endings.
        """
        ending = self._next(program)
        await _wait(self._seconds)
        return ending if isinstance(ending, Completed) else ending(program)


async def _wait(seconds: float) -> None:
    if seconds:
        await anyio.sleep(seconds)
    else:
        await anyio.lowlevel.checkpoint()


def price_of_replies(replies: Iterable[object]) -> ModelPrice:
    """Return "reported" where one of the replies says what it cost, else that they are free."""
    costs = any(isinstance(reply, Reply) and reply.usage.usd for reply in replies)
    return "reported" if costs else FREE


def as_reply(text: str, request: Request) -> Reply:
    """A reply of a text; four characters are counted as a token."""
    asked = sum(len(message.content) for message in request.messages)
    usage = Usage(input_tokens=asked // 4, output_tokens=len(text) // 4, model_calls=1)
    return Reply(text=text, usage=usage)


def stream(text: str, on_text: OnText, piece: int = 16) -> None:
    """Give a text in pieces, as models do."""
    for start in range(0, len(text), piece):
        on_text(text[start : start + piece])
