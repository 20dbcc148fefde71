"""Apply a fault to an answer."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

from ._answer import Answer, Delivery
from ._fault import Fault, FaultKind
from ._protocol import ProviderProtocol, encode

__all__ = ["error_answer", "inject_fault"]

_MESSAGES = {
    400: "The request is not valid.",
    401: "The key is not valid.",
    403: "The key may not do this.",
    404: "The model does not exist.",
    429: "Rate limit reached.",
    503: "The model is overloaded.",
    529: "Overloaded",
}
_HALF = "é".encode()[:1]
_PAGE = b"<!doctype html><html><body>Please log in.</body></html>"


def inject_fault(answer: Answer, fault: Fault, protocol: ProviderProtocol) -> Delivery:
    """Return the delivery of an answer under a fault."""
    return _INJECTORS[fault.kind](answer, fault, protocol)


def error_answer(protocol: ProviderProtocol, fault: Fault) -> Answer:
    """Return the HTTP error of a fault in the protocol's format."""
    message = _message(fault)
    details: list[dict[str, Any]] = []
    headers = {"content-type": "application/json", "x-request-id": f"req_{fault.status}"}
    seconds = fault.seconds or 0.0
    now = datetime.now(UTC)
    match fault.form:
        case "seconds":
            headers["retry-after"] = str(math.ceil(seconds))
        case "date":
            retry_at = now + timedelta(seconds=math.ceil(seconds))
            headers["date"] = format_datetime(now, usegmt=True)
            headers["retry-after"] = format_datetime(retry_at, usegmt=True)
        case "milliseconds":
            headers["retry-after-ms"] = f"{seconds * 1000:g}"
        case "words":
            message += f" Please try again in {seconds:g}s."
        case "retry_info":
            kind = "type.googleapis.com/google.rpc.RetryInfo"
            details = [{"@type": kind, "retryDelay": f"{seconds:g}s"}]
        case "none":
            pass
    body = encode(protocol.error_body(fault.status, message, details))
    return Answer(pieces=(body,), status=fault.status, headers=headers)


def _message(fault: Fault) -> str:
    return fault.message or _MESSAGES.get(fault.status, "Internal error.")


def _dropped(answer: Answer, _: Fault, __: ProviderProtocol) -> Delivery:
    return Delivery(answer=answer, correct=False, stop=-1, end="reset")


def _slow(answer: Answer, fault: Fault, _: ProviderProtocol) -> Delivery:
    return Delivery(answer=answer, correct=fault.harmless, delay=fault.seconds)


def _stalled(answer: Answer, fault: Fault, _: ProviderProtocol) -> Delivery:
    at = _offset(answer, fault)
    if fault.seconds is None:
        return Delivery(answer=answer, correct=False, stop=at, end="hang")
    return Delivery(answer=answer, stop=at, pause=fault.seconds)


def _reset(answer: Answer, fault: Fault, _: ProviderProtocol) -> Delivery:
    return Delivery(answer=answer, correct=False, stop=_offset(answer, fault), end="reset")


def _closed(answer: Answer, fault: Fault, _: ProviderProtocol) -> Delivery:
    return Delivery(answer=answer, correct=False, stop=_offset(answer, fault), end="close")


def _truncated(answer: Answer, fault: Fault, _: ProviderProtocol) -> Delivery:
    declared = len(answer.body)
    at = min(_offset(answer, fault), declared - 1)
    return Delivery(answer=answer, correct=False, declared=declared, stop=at, end="close")


def _ended(answer: Answer, fault: Fault, _: ProviderProtocol) -> Delivery:
    if fault.after is None and len(answer.pieces) > 1:
        pieces = answer.pieces[:-1]
    else:
        pieces = _first_bytes(answer, _offset(answer, fault))
    return Delivery(answer=replace(answer, pieces=pieces), correct=False)


def _half_character(answer: Answer, _: Fault, __: ProviderProtocol) -> Delivery:
    body = answer.body
    inside = next((i for i, byte in enumerate(body) if byte >= 0x80), None)  # noqa: PLR2004  # not ASCII
    half = body[: inside + 1] if inside is not None else body[: len(body) // 2] + _HALF
    return Delivery(answer=replace(answer, pieces=(half,)), correct=False)


def _malformed(answer: Answer, _: Fault, __: ProviderProtocol) -> Delivery:
    # Remove one closing brace; in a stream, of one event.
    middle = len(answer.pieces) // 2
    broken = answer.pieces[middle].replace(b"}", b"", 1)
    pieces = (*answer.pieces[:middle], broken, *answer.pieces[middle + 1 :])
    return Delivery(answer=replace(answer, pieces=pieces), correct=False)


def _mistyped(answer: Answer, fault: Fault, _: ProviderProtocol) -> Delivery:
    headers = {**answer.headers, "content-type": fault.content_type}
    page = Answer(pieces=(_PAGE,), status=answer.status, headers=headers)
    return Delivery(answer=page, correct=False)


def _duplicated(answer: Answer, _: Fault, __: ProviderProtocol) -> Delivery:
    if not answer.stream:
        return Delivery(answer=answer)
    middle = len(answer.pieces) // 2
    pieces = (*answer.pieces[: middle + 1], *answer.pieces[middle:])
    return Delivery(answer=replace(answer, pieces=pieces), correct=False)


def _error(_: Answer, fault: Fault, protocol: ProviderProtocol) -> Delivery:
    return Delivery(answer=error_answer(protocol, fault), correct=False)


def _error_event(answer: Answer, fault: Fault, protocol: ProviderProtocol) -> Delivery:
    if not answer.stream:
        body = encode(protocol.error_body(fault.status, _message(fault)))
        return Delivery(answer=replace(answer, pieces=(body,)), correct=False)
    count = len(answer.pieces) // 2 if fault.after is None else fault.after
    pieces = (*answer.pieces[:count], protocol.error_event(fault.status, _message(fault)))
    return Delivery(answer=replace(answer, pieces=pieces), correct=False)


def _offset(answer: Answer, fault: Fault) -> int:
    size = len(answer.body)
    return size // 2 if fault.after is None else min(fault.after, size)


def _first_bytes(answer: Answer, count: int) -> tuple[bytes, ...]:
    """Return the pieces of the first `count` bytes."""
    first: list[bytes] = []
    for piece in answer.pieces:
        if count <= 0:
            break
        first.append(piece[:count])
        count -= len(piece)
    return tuple(first)


_INJECTORS: Mapping[FaultKind, Callable[[Answer, Fault, ProviderProtocol], Delivery]] = {
    "closed": _closed,
    "dropped": _dropped,
    "duplicated": _duplicated,
    "ended": _ended,
    "error": _error,
    "error_event": _error_event,
    "half_character": _half_character,
    "malformed": _malformed,
    "mistyped": _mistyped,
    "reset": _reset,
    "slow": _slow,
    "stalled": _stalled,
    "truncated": _truncated,
}
