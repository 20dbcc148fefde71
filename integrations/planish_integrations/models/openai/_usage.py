"""What an answer of OpenAI's APIs tells of its tokens."""

from collections.abc import Mapping, Sequence

from planish.data.usage import Usage
from planish_integrations.models.transport.decoded import as_count, as_map

__all__ = ["usage_of", "written_of"]

_Path = tuple[str, ...]

# Where servers put each count; the first that is not 0 counts. Chat completions and Responses
# call the same things differently; DeepSeek and Together have names of their own for the cache.
_INPUT: Sequence[_Path] = (("prompt_tokens",), ("input_tokens",))
_OUTPUT: Sequence[_Path] = (("completion_tokens",), ("output_tokens",))
_CACHED: Sequence[_Path] = (
    ("prompt_tokens_details", "cached_tokens"),
    ("input_tokens_details", "cached_tokens"),
    ("prompt_cache_hit_tokens",),
    ("cached_tokens",),
)
_WRITTEN: Sequence[_Path] = (
    ("prompt_tokens_details", "cache_write_tokens"),
    ("input_tokens_details", "cache_write_tokens"),
)
_REASONING: Sequence[_Path] = (
    ("completion_tokens_details", "reasoning_tokens"),
    ("output_tokens_details", "reasoning_tokens"),
)


def usage_of(told: Mapping[str, object]) -> Usage:
    """The tokens of one answer; what the provider does not tell counts as 0.

    Args:
        told: The answer's `usage` object; empty where there is none.
    """
    return Usage(
        input_tokens=_count(told, _INPUT),
        output_tokens=_count(told, _OUTPUT),
        cached_tokens=_count(told, _CACHED),
        reasoning_tokens=_count(told, _REASONING),
    )


def written_of(told: Mapping[str, object]) -> int:
    """Of its input tokens, those written to the provider's cache."""
    return _count(told, _WRITTEN)


def _count(told: Mapping[str, object], places: Sequence[_Path]) -> int:
    for *outer, name in places:
        fields = told
        for step in outer:
            fields = as_map(fields.get(step))
        if count := as_count(fields.get(name)):
            return count
    return 0
