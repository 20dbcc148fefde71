"""Structured output: request a value of a type from a model, as JSON of a schema.

The schema is sent as `Request.schema` to providers that accept one, and in the prompt to all, so
that every `Model` can be used. The reply is validated here in both cases.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Generic, Literal, TypeVar, cast

from pydantic import BeforeValidator, Field, TypeAdapter, ValidationError, create_model

from planish.abc import Model
from planish.data.message import Message, Reply, Request
from planish.effects.model import ask, require_request
from planish.errors import ModelError
from planish.extraction import remove_reasoning

__all__ = [
    "Answer",
    "CodeAnswer",
    "ask_for",
    "ask_for_code",
    "ask_twice",
    "find_values",
    "schema_of",
]

T = TypeVar("T")

_FENCE = re.compile(r"```[a-zA-Z]*\s*\n(.*?)\n?\s*```", re.DOTALL)
# The keywords of a schema whose values are schemas: by name, in a list, or a single one.
_SCHEMA_MAPS = ("properties", "$defs", "patternProperties")
_SCHEMA_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_SINGLE_SCHEMAS = ("items", "additionalProperties", "not", "contains")
_OPENING = re.compile(r"[{\[]")
_DECODER = json.JSONDecoder(strict=False)
_MAX_VALUES = 20  # of one reply that are tried, so that time is linear
_MAX_OPENINGS = 200  # brackets of one reply at which a value is looked for, for the same reason
_REPLY_CHARS = 4_000  # of an invalid reply that are sent back: more than real replies have


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """The outcome of a request for a value.

    Attributes:
        requests: The one or two requests, in order, as they were sent.
        replies: Their replies.
        value: The value, in a tuple, as it may be None itself; None if no reply is one.
        error: What is wrong with the last reply; "" if it is a value.
    """

    requests: tuple[Request, ...]
    replies: tuple[Reply, ...]
    value: tuple[T] | None
    error: str


async def ask_for(model: Model, request: Request, kind: type[T]) -> T:
    """Request a value of a type from a model, within the budget and with a span.

    If the reply is not such a value, one more request is sent, which says what is wrong. Both
    requests count towards the budget: see `planish.effects.ask`. Reasoning sections of a reply
    (`<think>...</think>`) are not read.

    Args:
        model: The model.
        request: The request, without the schema, which is added to it.
        kind: A pydantic model, a dataclass, or any other type that pydantic supports.

    Returns:
        The value.

    Raises:
        ModelError: the second reply is not such a value either, or a content filter stopped a
            reply. Also the other errors of `planish.effects.ask`.
    """
    answer = await ask_twice(model, request, kind)
    reply = answer.replies[-1]
    if answer.value is not None:
        return answer.value[0]
    if reply.finish_reason == "content_filter":
        problem = f"a content filter stopped the reply: {reply.text[:200]!r}"
    else:
        problem = (
            f"two replies of {model.provider}'s {model.name} are not a valid "
            f"{getattr(kind, '__name__', kind)!s}: {answer.error}"
        )
    raise ModelError(problem, request_id=reply.request_id)


async def ask_twice(model: Model, request: Request, kind: type[T]) -> Answer[T]:
    """Request a value of a type; if the reply is none, request it once more with what is wrong.

    Args:
        model: The model.
        request: The request, without the schema, which is added to it.
        kind: Any type that pydantic supports.

    Raises:
        PlanishError: as `planish.effects.ask`.
    """
    require_request("ask_for(model, request, kind)", request)
    adapter = TypeAdapter(kind)
    schema = schema_of(kind)
    instruction = "Answer with JSON only, no other text, that fits this JSON schema:\n"
    message = Message("user", instruction + json.dumps(schema, ensure_ascii=False))
    first = replace(request, messages=(*request.messages, message), schema=schema)
    reply = await ask(model, first)
    value, error = _parse(adapter, reply)
    if value is not None or reply.finish_reason == "content_filter":
        return Answer((first,), (reply,), value, error)
    correction = (
        Message("assistant", reply.text[:_REPLY_CHARS] or "(nothing)"),
        Message("user", f"That does not fit: {error}\nAnswer again, with JSON only."),
    )
    again = replace(first, messages=(*first.messages, *correction))
    second = await ask(model, again)
    value, error = _parse(adapter, second)
    return Answer((first, again), (reply, second), value, error)


_GoalType = Annotated[str, Field(description="what the code is to achieve, in one sentence")]
_AssumptionsType = Annotated[
    list[str], Field(description="what you assume that the task does not say, one sentence each")
]
_PACKAGES: Any = Field((), description="PyPI packages that it needs beyond the standard library")
_SYSTEM_PACKAGES: Any = Field((), description="Debian packages that it needs; usually none")


@dataclass(frozen=True, slots=True)
class CodeAnswer:
    """The code that a model wrote in a structured reply.

    Attributes:
        request: The request of the reply, as it was sent.
        reply: The reply to read: the last one, or the first if only that has a code block.
        code: The code; None if no reply fits the schema.
        goal: What the code is to achieve; "" if that was not requested.
        assumptions: What was assumed.
        packages: The Python packages that the code needs, as the model names them.
        system_packages: The packages of the operating system that it needs.
    """

    request: Request
    reply: Reply
    code: str | None
    goal: str = ""
    assumptions: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    system_packages: tuple[str, ...] = ()


async def ask_for_code(
    model: Model, request: Request, language: str, *, explain: bool = False
) -> CodeAnswer:
    """Request code as JSON with a schema; if two replies do not fit it, leave the text to read.

    The schema requires lists of the packages that the code needs. A reply of a provider that does
    not enforce schemas may leave them out, for none.

    Args:
        model: The model.
        request: The request, without the schema, which is added to it.
        language: The language of the code, which the model has to name.
        explain: Request the goal and the assumptions too.

    Raises:
        PlanishError: as `planish.effects.ask`.
    """
    language_type: Any = Annotated[Literal[language], BeforeValidator(_lower)]
    code_type: Any = Annotated[str, Field(description=f"the whole program in {language}")]
    parts: dict[str, Any] = {"language": (language_type, ...)}
    if explain:  # before the code, so that the model writes it with them in view
        parts |= {"goal": (_GoalType, ...), "assumptions": (_AssumptionsType, ...)}
    names: Any = tuple[str, ...]
    parts |= {"packages": (names, _PACKAGES), "system_packages": (names, _SYSTEM_PACKAGES)}
    kind: Any = create_model("Program", **parts, code=(code_type, ...))
    answer: Answer[Any] = await ask_twice(model, request, kind)
    exchanges = list(zip(answer.requests, answer.replies, strict=True))
    last = exchanges[-1]
    if answer.value is not None:
        program = answer.value[0]
        return CodeAnswer(
            *last,
            program.code,
            goal=program.goal if explain else "",
            assumptions=tuple(program.assumptions) if explain else (),
            packages=_names(program.packages),
            system_packages=_names(program.system_packages),
        )
    fenced = next((pair for pair in reversed(exchanges) if _FENCE.search(pair[1].text)), last)
    return CodeAnswer(*fenced, None)


def _names(packages: Iterable[str]) -> tuple[str, ...]:
    """Return the names of packages without white space around them, each once, none empty."""
    return tuple(dict.fromkeys(name for package in packages if (name := package.strip())))


def _lower(value: Any) -> Any:
    return value.strip().lower() if isinstance(value, str) else value


def schema_of(kind: Any) -> dict[str, Any]:
    """Return the JSON schema of a type, with every field required and no other field allowed.

    Providers can enforce only such schemas strictly. Fields with a default are required too;
    objects whose keys are not known beforehand allow any key.

    Args:
        kind: Any type that pydantic supports.
    """
    return _close_schema(TypeAdapter(kind).json_schema())


def _close_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    closed = {
        word: _close_value(word, value) for word, value in schema.items() if word != "default"
    }
    if schema.get("type") == "object" and "properties" in schema:
        closed["required"] = list(schema["properties"])
        closed.setdefault("additionalProperties", False)
    return closed


def _close_value(word: str, value: Any) -> Any:
    """Return the value of a schema's keyword, with the schemas in it closed."""
    if word in _SCHEMA_MAPS:
        return {name: _close_schema(schema) for name, schema in value.items()}
    if word in _SCHEMA_LISTS:
        return [_close_schema(schema) for schema in value]
    if word in _SINGLE_SCHEMAS and isinstance(value, dict):
        return _close_schema(cast("Mapping[str, Any]", value))
    unchanged: Any = value
    return unchanged


def _parse(adapter: TypeAdapter[T], reply: Reply) -> tuple[tuple[T] | None, str]:
    """Return the value, in a tuple as it may be None itself, and what is wrong if there is none."""
    if reply.finish_reason == "content_filter":
        return None, "a content filter stopped it"
    message = ""
    for text in _json_candidates(reply.text):
        try:
            return (adapter.validate_json(text),), ""
        except ValidationError as error:
            message = message or _describe(error)
    if reply.finish_reason == "length":
        message = f"it was cut off at the maximum of tokens; be shorter ({message})"
    return None, message


def _json_candidates(text: str) -> Iterator[str]:
    """Yield the parts of a reply that may be JSON: all, the code blocks, the values in it.

    Reasoning is removed first. Of code blocks and values the last one comes first: models write
    drafts before. Only the outermost values are yielded, at most `_MAX_VALUES`.
    """
    yield text.strip()
    text = remove_reasoning(text)
    yield text.strip()
    yield from reversed(_FENCE.findall(text))
    yield from reversed(find_values(text))


def find_values(text: str) -> list[str]:
    """Return the JSON objects and arrays in a text, and what may be one that is cut off.

    Args:
        text: Any text; at most 200 brackets of it are tried, and 20 values are returned.
    """
    found: list[str] = []
    position = 0
    for _ in range(_MAX_OPENINGS):
        opening = _OPENING.search(text, position)
        if opening is None or len(found) >= _MAX_VALUES:
            break
        start = opening.start()
        try:
            _, position = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            position = start + 1
            if not found:
                end = text.rfind("}" if text[start] == "{" else "]")
                found.append(text[start : end + 1] if end > start else text[start:])
            continue
        found.append(text[start:position])
    return found


def _describe(error: ValidationError) -> str:
    """Return pydantic's messages, without links and without the model's text."""
    errors = error.errors(include_url=False, include_context=False, include_input=False)
    lines = (f"{'.'.join(map(str, e['loc'])) or 'the answer'}: {e['msg']}" for e in errors[:20])
    return "; ".join(lines)
