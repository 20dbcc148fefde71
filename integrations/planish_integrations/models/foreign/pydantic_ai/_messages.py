"""Convert planish requests to pydantic-ai messages and agent runs, and results to replies."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic import TypeAdapter
from pydantic_ai import Agent
from pydantic_ai.direct import model_request, model_request_stream
from pydantic_ai.exceptions import UserError
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    PartDeltaEvent,
    PartStartEvent,
    SystemPromptPart,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    UserPromptPart,
)
from pydantic_ai.models import Model, infer_model
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RequestUsage, RunUsage

from planish.abc import OnText
from planish.data.message import Message, Reply, Request
from planish.data.usage import Usage
from planish.errors import ModelError, RequestError
from planish_integrations.models.foreign.tables import find_finish_reason

__all__ = ["request_reply", "resolve_model", "run_agent", "stream_reply"]


def resolve_model(model: Model | str) -> Model:
    """Return a model, or the one with a name of pydantic-ai's.

    Raises:
        RequestError: pydantic-ai cannot create it.
    """
    if isinstance(model, Model):
        return model
    try:
        return infer_model(model)
    except (UserError, ValueError, ImportError) as error:
        raise RequestError(f"pydantic-ai has no model {model!r}: {error}") from error


async def request_reply(model: Model, request: Request) -> Reply:
    """Request a reply without streaming."""
    return _reply(
        await model_request(model, _messages(request.messages), model_settings=_settings(request))
    )


async def stream_reply(model: Model, request: Request, on_text: OnText) -> Reply:
    """Request a reply as a stream."""
    pieces: list[str] = []
    messages, settings = _messages(request.messages), _settings(request)
    async with model_request_stream(model, messages, model_settings=settings) as stream:
        async for event in stream:
            text = ""
            match event:
                case PartStartEvent(part=TextPart(content=text)):
                    pass
                case PartDeltaEvent(delta=TextPartDelta(content_delta=text)):
                    pass
                case _:
                    pass
            if text:
                pieces.append(text)
                on_text(text)
        response = stream.get()
    return replace(_reply(response), text="".join(pieces))


async def run_agent(
    agent: Agent[Any, Any], request: Request, on_text: OnText | None, deps: object
) -> Reply:
    """Run an agent on a request; stream if its output is text and `on_text` is set."""
    system = "\n\n".join(m.content for m in request.messages if m.role == "system")
    *before, last = [m for m in request.messages if m.role != "system"] or [Message("user", "")]
    options: dict[str, Any] = {
        "message_history": _messages(tuple(before)) or None,
        "instructions": system or None,
        "model_settings": _settings(request),
        "deps": deps,
    }
    if on_text is not None and agent.output_type is str:
        return await _stream_run(agent, last.content, options, on_text)
    result = await agent.run(last.content, **options)
    output: object = result.output
    text = output if isinstance(output, str) else _json(output)
    if on_text is not None and text:
        on_text(text)
    return replace(_reply(result.response), text=text, usage=_usage(_run_usage(result)))


async def _stream_run(
    agent: Agent[Any, Any], prompt: str, options: dict[str, Any], on_text: OnText
) -> Reply:
    pieces: list[str] = []
    async with agent.run_stream(prompt, **options) as result:
        async for piece in result.stream_text(delta=True, debounce_by=None):
            if piece:
                pieces.append(piece)
                on_text(piece)
        reply = _reply(result.response)
        return replace(reply, text="".join(pieces), usage=_usage(_run_usage(result)))


def _run_usage(result: Any) -> RunUsage:
    # A method in pydantic-ai 1, a property since 2.
    usage: RunUsage = result.usage if isinstance(result.usage, RunUsage) else result.usage()
    return usage


def _messages(messages: tuple[Message, ...]) -> list[ModelMessage]:
    result: list[ModelMessage] = []
    for message in messages:
        if message.role == "assistant":
            result.append(ModelResponse(parts=[TextPart(message.content)]))
            continue
        kind = SystemPromptPart if message.role == "system" else UserPromptPart
        part = kind(message.content)
        if result and isinstance(result[-1], ModelRequest):
            result[-1] = ModelRequest(parts=[*result[-1].parts, part])
        else:
            result.append(ModelRequest(parts=[part]))
    return result


def _settings(request: Request) -> ModelSettings:
    settings = ModelSettings()
    if request.temperature is not None:
        settings["temperature"] = request.temperature
    if request.max_tokens is not None:
        settings["max_tokens"] = request.max_tokens
    if request.seed is not None:
        settings["seed"] = request.seed
    if request.stop:
        settings["stop_sequences"] = list(request.stop)
    return settings


def _reply(response: ModelResponse) -> Reply:
    parts = response.parts
    if not parts and response.finish_reason is None:
        raise ModelError(f"{response.model_name} returned an empty response")
    return Reply(
        text="".join(part.content for part in parts if isinstance(part, TextPart)),
        reasoning="".join(part.content for part in parts if isinstance(part, ThinkingPart)),
        # Some models omit it.
        finish_reason=find_finish_reason(response.finish_reason),
        provider_finish_reason=_finish_word(response),
        usage=_usage(response.usage),
        model=response.model_name,
        id=response.provider_response_id,
    )


def _finish_word(response: ModelResponse) -> str | None:
    """Return the provider's word for why the model stopped; None if pydantic-ai has none."""
    word = (response.provider_details or {}).get("finish_reason")
    return None if word is None else str(word)[:100]


def _usage(usage: RequestUsage | RunUsage) -> Usage:
    details: Mapping[str, int] = usage.details
    reasoning = getattr(usage, "output_reasoning_tokens", 0) or details.get("reasoning_tokens", 0)
    return Usage(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cached_tokens=usage.cache_read_tokens,
        cache_write_tokens=usage.cache_write_tokens,
        reasoning_tokens=reasoning,
        model_calls=1,
        usd=float(getattr(usage, "cost", None) or 0),
    )


def _json(output: object) -> str:
    adapter: TypeAdapter[Any] = TypeAdapter(type(output))
    return adapter.dump_json(output).decode()
