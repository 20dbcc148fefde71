"""A model and a sandbox that answer from a script, and check that it is used up."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, Generic, Self, TypeVar, cast

import anyio
import anyio.lowlevel

from planish.abc import OnOutput, OnText
from planish.data.message import Reply, Request
from planish.data.program import Completed, Program
from planish.data.usage import FREE, ModelPrice, Usage
from planish.errors import RecordingError

__all__ = ["ScriptedModel", "ScriptedSandbox"]

RequestT = TypeVar("RequestT")
AnswerT = TypeVar("AnswerT")


class _Script(Generic[RequestT, AnswerT]):
    """Answers in order; the end of a `with` block fails if some were not requested."""

    def __init__(self, name: str, answers: Iterable[AnswerT | Exception]) -> None:
        if isinstance(answers, str | bytes):
            raise TypeError(f"{type(self).__name__}({answers[:40]!r}): give a list, not one text")
        if not isinstance(cast("object", answers), Iterable):
            raise TypeError(f"{type(self).__name__}({answers!r:.80}): give a list")
        self._name = name
        self._answers = list(answers)
        self._calls: list[RequestT] = []

    @property
    def name(self) -> str:
        """The name given to the constructor."""
        return self._name

    @property
    def remaining(self) -> int:
        """The number of answers not yet requested."""
        return len(self._answers) - len(self._calls)

    def _next(self, request: RequestT) -> AnswerT:
        self._calls.append(request)
        number = len(self._calls)
        if number > len(self._answers):
            raise RecordingError(
                f"{self!r}: answer {number} was requested, but the script has {len(self._answers)}"
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
        if error is None and self.remaining:
            raise AssertionError(f"{self!r}: {self.remaining} scripted answers were not requested")

    def config(self) -> Mapping[str, Any]:
        """Return the name and the answers, for fingerprints."""
        return {"name": self._name, "answers": list(map(repr, self._answers))}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._name!r})"


class ScriptedModel(_Script[Request, "str | Reply"]):
    """A model that returns the replies of a script, in the order of its requests.

    The end of a `with` block raises an AssertionError if replies were not requested.

    Args:
        replies: Texts, replies, or exceptions to raise. Four characters of a text count as a
            token.
        name: The model's name; "scripted" by default.
        seconds: Seconds that each reply takes; 0.0 by default.
        price: The price, for `budget(usd=...)`. None (the default): "reported" if a reply of the
            script has a cost in `Usage.usd`, else free.

    Raises:
        TypeError: the replies are one text, or one of them is something else.
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
        for answer in self._answers:
            if not isinstance(cast("object", answer), str | Reply | Exception):
                raise TypeError(f"ScriptedModel: {answer!r:.200} is no text, Reply or exception")
        self._seconds = seconds
        self._price: ModelPrice = price or price_of_replies(self._answers)

    @property
    def price(self) -> ModelPrice:
        """The price of a token, "reported", or None if unknown."""
        return self._price

    @property
    def provider(self) -> str:
        """Always "planish"."""
        return "planish"

    @property
    def requests(self) -> Sequence[Request]:
        """The requests so far, in order."""
        return self._calls

    async def reply(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Return the next reply of the script.

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
    """A sandbox that runs no program and returns the endings of a script, in order.

    The end of a `with` block raises an AssertionError if endings were not requested.

    Args:
        endings: The result of each program, with `Completed.results`; or a function that returns
            the result of a program; or an exception to raise.
        name: The sandbox's name; "scripted" by default.
        seconds: Seconds that each program takes; 0.0 by default.
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
        """The programs so far, in order."""
        return self._calls

    async def run(self, program: Program) -> Completed:
        """Return the next ending of the script.

        Raises:
            RecordingError: the script has no more endings.
        """
        ending = self._next(program)
        await _wait(self._seconds)
        return ending if isinstance(ending, Completed) else ending(program)

    async def run_live(self, program: Program, on_output: OnOutput) -> Completed:
        """Return the next ending, and pass on its output, each stream as one piece.

        Raises:
            RecordingError: the script has no more endings.
        """
        completed = await self.run(program)
        if completed.stdout:
            on_output("stdout", completed.stdout)
        if completed.stderr:
            on_output("stderr", completed.stderr)
        return completed


async def _wait(seconds: float) -> None:
    if seconds:
        await anyio.sleep(seconds)
    else:
        await anyio.lowlevel.checkpoint()


def price_of_replies(replies: Iterable[object]) -> ModelPrice:
    """Return "reported" if a reply has a cost in `Usage.usd`, else `FREE`."""
    costs = any(isinstance(reply, Reply) and reply.usage.usd for reply in replies)
    return "reported" if costs else FREE


def as_reply(text: str, request: Request) -> Reply:
    """Return a reply with a text; four characters count as a token."""
    characters = sum(len(message.content) for message in request.messages)
    usage = Usage(input_tokens=characters // 4, output_tokens=len(text) // 4, model_calls=1)
    return Reply(text=text, usage=usage)


def stream(text: str, on_text: OnText, chunk: int = 16) -> None:
    """Call `on_text` with chunks of a text, as a streaming model does."""
    for start in range(0, len(text), chunk):
        on_text(text[start : start + chunk])
