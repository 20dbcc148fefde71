"""The generateContent wire: how answers are read. A whole one and an event are the same."""

from collections.abc import Mapping

from planish.data.message import FinishReason
from planish.data.usage import Usage
from planish_integrations.models.transport.decoded import as_count, as_list, as_map, as_text
from planish_integrations.models.transport.wire import Answer, NonsenseError

__all__ = ["GeminiAnswer"]

_FINISHES: Mapping[str, FinishReason] = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    "SAFETY": "content_filter",
    "RECITATION": "content_filter",
    "LANGUAGE": "content_filter",
    "BLOCKLIST": "content_filter",
    "PROHIBITED_CONTENT": "content_filter",
    "SPII": "content_filter",
    "IMAGE_SAFETY": "content_filter",
    "MODEL_ARMOR": "content_filter",
    "MALFORMED_FUNCTION_CALL": "error",
    "UNEXPECTED_TOOL_CALL": "error",
    "TOO_MANY_TOOL_CALLS": "error",
    "MALFORMED_RESPONSE": "error",
}


class GeminiAnswer(Answer):
    """A `GenerateContentResponse`, or a stream of them."""

    def __init__(self) -> None:
        super().__init__()
        self._ended = False
        self._told: dict[str, object] = {}

    @property
    def finished(self) -> bool:
        """The candidate's finish reason has come; the usage comes with it."""
        return self._ended

    def whole(self, body: object) -> None:
        """Take a whole response, or the list of them that a stream without `alt=sse` is."""
        for response in as_list(body) or [body]:
            self.event(response)
        if not self.begun:
            raise NonsenseError(f"no candidates: {body!r:.200}")

    def event(self, event: object) -> None:
        """Take one response of a stream."""
        fields = as_map(event)
        self.named(model=as_text(fields.get("modelVersion")), id=as_text(fields.get("responseId")))
        self._count(as_map(fields.get("usageMetadata")))
        candidates = [as_map(c) for c in as_list(fields.get("candidates"))]
        candidate = next((c for c in candidates if c.get("index") in (0, None)), None)
        if candidate is not None:
            self._candidate(candidate)
        elif as_map(fields.get("promptFeedback")).get("blockReason"):
            # The prompt itself was stopped: there is no candidate, and there will be none.
            self.finish = "content_filter"
            self.begun = self._ended = True

    def _candidate(self, candidate: Mapping[str, object]) -> None:
        self.begun = True
        for part in map(as_map, as_list(as_map(candidate.get("content")).get("parts"))):
            (self.think if part.get("thought") is True else self.say)(as_text(part.get("text")))
        if reason := as_text(candidate.get("finishReason")):
            self.finish = _FINISHES.get(reason, "unknown")
            self._ended = True

    def _count(self, told: Mapping[str, object]) -> None:
        """Counts of a stream are of all that has come; some events leave some out."""
        self._told |= told
        thoughts = as_count(self._told.get("thoughtsTokenCount"))
        sent = ("promptTokenCount", "toolUsePromptTokenCount")
        self.tokens = Usage(
            input_tokens=sum(as_count(self._told.get(name)) for name in sent),
            # Google's count of the candidates leaves out what was thought.
            output_tokens=as_count(self._told.get("candidatesTokenCount")) + thoughts,
            cached_tokens=as_count(self._told.get("cachedContentTokenCount")),
            reasoning_tokens=thoughts,
        )
