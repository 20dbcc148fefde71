"""The one choice an answer, or an event of a streamed one, is about."""

from collections.abc import Mapping

from planish_integrations.models.transport.decoded import as_list, as_map
from planish_integrations.models.transport.wire import ComplaintError, complaint_in

__all__ = ["choice_of"]


def choice_of(value: object) -> Mapping[str, object] | None:
    """The choice of index 0 in a decoded body or event; None where there is none.

    planish asks for one choice; some events of a stream (usage, filter results) have none.

    Raises:
        ComplaintError: there is an error object in its place, or in it.
    """
    choices = [as_map(choice) for choice in as_list(as_map(value).get("choices"))]
    choice = next((c for c in choices if c.get("index") in (0, None)), None)
    inner = {"error": as_map(choice).get("error")}  # OpenRouter's place, beside `delta`
    if complaint := complaint_in(value) or complaint_in(inner):
        raise ComplaintError(complaint)
    return choice or None
