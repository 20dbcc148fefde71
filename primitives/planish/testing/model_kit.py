"""The conformance kit for models: `check_model`, which needs no pytest."""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from time import monotonic

import anyio

from planish.abc import Model
from planish.data.message import Message, Reply, Request
from planish.data.usage import Price
from planish.testing._conformance import require, run_checks

__all__ = ["check_model"]

_TEXT = "text"
_WORDS = ("anvil", "burin", "creel", "dowel")  # too rare to occur in the answer to another


async def check_model(model: Model, *, promptly: float = 2.0) -> tuple[str, ...]:
    """Check that a model conforms to `planish.abc.Model`.

    It sends 11 short requests, one of which it cancels; a provider may charge for them. A
    scripted model needs 11 answers.

    >>> import anyio
    >>> from planish.testing.scripted import ScriptedModel
    >>> len(anyio.run(check_model, ScriptedModel(["ok"] * 11)))
    8

    Args:
        model: Any implementation.
        promptly: Seconds that a cancelled request may take to close its connection and end;
            2.0 by default.

    Returns:
        The names of the checks, all of which passed.

    Raises:
        ConformanceError: at least one check failed; `failures` has the finding of each. All
            checks are run.
    """
    checks: dict[str, Callable[[Model], Awaitable[None]]] = {
        **_CHECKS,
        "ends promptly when cancelled": partial(_cancellation, promptly),
    }
    return await run_checks(checks, model)


async def _attributes(model: Model) -> None:
    for name in ("name", "provider"):
        value: object = getattr(model, name, None)
        require(isinstance(value, str) and value, f"{name} is {value!r}, not a text")
    price: object = getattr(model, "price", None)
    known = price in (None, "reported") or isinstance(price, Price)
    require(known, f"price is {price!r}, not a planish.data.usage.Price, 'reported' or None")
    max_tokens: object = getattr(model, "max_tokens", None)
    known = max_tokens is None or (isinstance(max_tokens, int) and max_tokens > 0)
    require(known, f"max_tokens is {max_tokens!r}, not a number above 0 or None")


async def _answers(model: Model) -> None:
    reply = await model.reply(_request("ok"))
    require(type(reply) is Reply, f"the reply is a {type(reply).__name__}, not a Reply")
    require(reply.text, "the reply has no text")


async def _counts(model: Model) -> None:
    usage = (await model.reply(_request("ok"))).usage
    require(usage.model_calls == 1, f"usage.model_calls is {usage.model_calls}, not 1")
    for name in ("input_tokens", "output_tokens", "cached_tokens", "reasoning_tokens", "usd"):
        value: float = getattr(usage, name)
        require(value >= 0, f"usage.{name} is {value}")


async def _streams(model: Model) -> None:
    chunks: list[str] = []
    reply = await model.reply(_request("ok"), chunks.append)
    joined = "".join(chunks)
    require(joined == reply.text, f"the chunks join to {joined!r}, the text is {reply.text!r}")


async def _immutable(model: Model) -> None:
    reply = await model.reply(_request("ok"))
    try:
        setattr(reply, _TEXT, reply.text)
    except AttributeError:
        pass
    else:
        raise AssertionError("the reply is not frozen: its text can be set")
    try:
        back = Reply.from_json(reply.to_json())
    except (TypeError, ValueError) as error:
        raise AssertionError(f"the reply is not JSON: {error}") from error
    require(back == reply, "the reply changes when it is serialized to JSON and back")


async def _repeats(model: Model) -> None:
    for time in ("first", "second"):
        reply = await model.reply(_request("ok"))
        require(reply.text, f"the same request has no text the {time} time")


async def _concurrent_requests(model: Model) -> None:
    texts: dict[str, str] = {}
    chunks: dict[str, list[str]] = {word: [] for word in _WORDS}

    async def ask(word: str) -> None:
        texts[word] = (await model.reply(_request(word), chunks[word].append)).text

    async with anyio.create_task_group() as group:
        for word in _WORDS:
            group.start_soon(ask, word)
    for word, text in texts.items():
        joined = "".join(chunks[word])
        require(joined == text, f"the chunks join to {joined!r}, the text is {text!r}")
        mixed = [other for other in _WORDS if other != word and other in text.lower()]
        require(not mixed, f"the reply to {word!r} is {text!r}, with {mixed} of others")


async def _cancellation(promptly: float, model: Model) -> None:
    started = monotonic()
    with anyio.move_on_after(0.05):
        await model.reply(_request("ok"), lambda _: None)
    took = monotonic() - started
    require(took < promptly, f"cancelled after 0.05 s, it ended after {took:.1f} s")


def _request(word: str) -> Request:
    ask = f"Answer with this one word and nothing else: {word}"
    return Request(messages=(Message("user", ask),))


_CHECKS: Mapping[str, Callable[[Model], Awaitable[None]]] = {
    "has a name and a provider": _attributes,
    "answers a request of one message": _answers,
    "counts one call and its tokens": _counts,
    "chunks of a stream join to the text": _streams,
    "replies are frozen and serialize to JSON": _immutable,
    "answers the same request again": _repeats,
    "separates concurrent requests": _concurrent_requests,
}
