"""What any model can be held to, without pytest."""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from time import monotonic

import anyio

from planish.abc import Model
from planish.data.message import Message, Reply, Request
from planish.data.usage import Price
from planish.testing._conformance import hold, hold_to

__all__ = ["check_model"]

_TEXT = "text"
_WORDS = ("anvil", "burin", "creel", "dowel")  # too rare to come up in each other's answers


async def check_model(model: Model, *, promptly: float = 2.0) -> tuple[str, ...]:
    """Hold a model to `planish.abc.Model`.

    Sends 11 short requests, of which one is cancelled; a model that costs money is paid for
    them. A scripted model needs as many answers.

    >>> import anyio
    >>> from planish.testing.scripted import ScriptedModel
    >>> len(anyio.run(check_model, ScriptedModel(["ok"] * 11)))
    8

    Args:
        model: Any implementation.
        promptly: Seconds a cancelled request may take to end: it closes its connection, and
            waits for nothing.

    Returns:
        The names of the checks, all of which it passed.

    Raises:
        ConformanceError: it failed some; `failures` says which, and how. All are run.
    """
    checks: dict[str, Callable[[Model], Awaitable[None]]] = {
        **_CHECKS,
        "cancelling ends it promptly": partial(_cancels, promptly),
    }
    return await hold_to(checks, model)


async def _named(model: Model) -> None:
    for name in ("name", "provider"):
        value: object = getattr(model, name, None)
        hold(isinstance(value, str) and value, f"{name} is {value!r}, not a text")
    price: object = getattr(model, "price", None)
    known = price in (None, "reported") or isinstance(price, Price)
    hold(known, f"price is {price!r}, not a planish.data.usage.Price, 'reported' or None")
    most: object = getattr(model, "max_tokens", None)
    known = most is None or (isinstance(most, int) and most > 0)
    hold(known, f"max_tokens is {most!r}, not a number above 0 or None")


async def _answers(model: Model) -> None:
    reply = await model.reply(_request("ok"))
    hold(type(reply) is Reply, f"the reply is a {type(reply).__name__}, not a Reply")
    hold(reply.text, "the reply has no text")


async def _counts(model: Model) -> None:
    usage = (await model.reply(_request("ok"))).usage
    hold(usage.model_calls == 1, f"usage.model_calls is {usage.model_calls}, not 1")
    for name in ("input_tokens", "output_tokens", "cached_tokens", "reasoning_tokens", "usd"):
        value: float = getattr(usage, name)
        hold(value >= 0, f"usage.{name} is {value}")


async def _streams(model: Model) -> None:
    pieces: list[str] = []
    reply = await model.reply(_request("ok"), pieces.append)
    joined = "".join(pieces)
    hold(joined == reply.text, f"the pieces join to {joined!r}, the text is {reply.text!r}")


async def _keeps(model: Model) -> None:
    reply = await model.reply(_request("ok"))
    try:
        setattr(reply, _TEXT, reply.text)
    except AttributeError:
        pass
    else:
        raise AssertionError("the reply is not frozen: its text can be set")
    try:
        back = Reply.from_json(reply.to_json())
    except ValueError as error:
        raise AssertionError(f"the reply is not JSON: {error}") from error
    hold(back == reply, "the reply is another one after a journey as JSON")


async def _repeats(model: Model) -> None:
    for time in ("first", "second"):
        reply = await model.reply(_request("ok"))
        hold(reply.text, f"the same request has no text the {time} time")


async def _apart(model: Model) -> None:
    texts: dict[str, str] = {}
    pieces: dict[str, list[str]] = {word: [] for word in _WORDS}

    async def ask(word: str) -> None:
        texts[word] = (await model.reply(_request(word), pieces[word].append)).text

    async with anyio.create_task_group() as group:
        for word in _WORDS:
            group.start_soon(ask, word)
    for word, text in texts.items():
        joined = "".join(pieces[word])
        hold(joined == text, f"at once, the pieces join to {joined!r}, the text is {text!r}")
        mixed = [other for other in _WORDS if other != word and other in text.lower()]
        hold(not mixed, f"asked for {word!r} it answered {text!r}, asked for {mixed} at once")


async def _cancels(promptly: float, model: Model) -> None:
    started = monotonic()
    with anyio.move_on_after(0.05):
        await model.reply(_request("ok"), lambda _: None)
    took = monotonic() - started
    hold(took < promptly, f"cancelled after 0.05 s, it ended after {took:.1f} s")


def _request(word: str) -> Request:
    ask = f"Answer with this one word and nothing else: {word}"
    return Request(messages=(Message("user", ask),))


_CHECKS: Mapping[str, Callable[[Model], Awaitable[None]]] = {
    "has a name and a provider": _named,
    "answers a request of one message": _answers,
    "counts one call and its tokens": _counts,
    "the pieces of a stream join to the text": _streams,
    "the reply is frozen and travels as JSON": _keeps,
    "answers the same request again": _repeats,
    "requests at once do not mix": _apart,
}
