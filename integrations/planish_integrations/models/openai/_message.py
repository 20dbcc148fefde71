"""What one `message`, or one `delta` of a streamed one, says."""

from collections.abc import Mapping

from planish.data.message import FinishReason
from planish_integrations.models.transport.decoded import as_list, as_map, as_text

__all__ = ["finish_of", "reasoning_of", "text_of"]

# Beside OpenAI's own words, those other servers of the same API were recorded or documented
# to say: Together "eos", Mistral "model_length", DeepSeek "insufficient_system_resource".
_FINISHES: Mapping[str, FinishReason] = {
    "stop": "stop",
    "eos": "stop",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "content_filter",
    "tool_calls": "tool_calls",
    "tool_use": "tool_calls",
    "function_call": "tool_calls",
    "error": "error",
    "insufficient_system_resource": "error",
}


def finish_of(reason: object) -> FinishReason:
    """Why the model stopped; "unknown" for a word that is not known, or none."""
    return _FINISHES.get(as_text(reason).lower(), "unknown")


def text_of(message: Mapping[str, object]) -> str:
    """The text of `content`, be it null, a string or a list of parts, and of `refusal`."""
    content = message.get("content")
    parts = "".join(_part(part) for part in as_list(content))
    return as_text(content) + parts + as_text(message.get("refusal"))


# DeepSeek's name for it, and that of OpenRouter, Groq and Ollama; some send both, the same text.
_REASONING = ("reasoning_content", "reasoning")


def reasoning_of(message: Mapping[str, object]) -> str:
    """What it thought aloud. Mistral sends it as parts of `content`."""
    aloud = next(filter(None, (as_text(message.get(name)) for name in _REASONING)), "")
    thoughts = (
        _part(thought)
        for part in as_list(message.get("content"))
        for thought in as_list(as_map(part).get("thinking"))
    )
    return aloud + "".join(thoughts)


def _part(part: object) -> str:
    fields = as_map(part)
    return as_text(fields.get("text")) + as_text(fields.get("refusal"))
