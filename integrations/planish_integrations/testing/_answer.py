"""HTTP answers of a loopback provider, and how they are sent."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

__all__ = ["Answer", "ConnectionEnd", "Delivery", "recorded_answers"]

_EVENT = re.compile(rb".*?(?:\r\n\r\n|\n\n|\r\r)|.+\Z", re.DOTALL)
_LINE = re.compile(rb"[^\n]*\n|[^\n]+\Z")
# Headers of one connection, or of the body's encoding at the time of the recording.
_HOP_HEADERS = frozenset({"connection", "content-encoding", "content-length", "transfer-encoding"})


def _json() -> dict[str, str]:
    return {"content-type": "application/json"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One HTTP answer, byte for byte.

    Attributes:
        pieces: The body in the pieces it is sent in; for a stream, one event each.
        status: The HTTP status; 200 by default.
        headers: The headers, without those for the framing of the body, which the server adds;
            JSON's content type by default.
        stream: Send it in HTTP chunks, without a Content-Length.
    """

    pieces: tuple[bytes, ...]
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=_json)
    stream: bool = False

    @property
    def body(self) -> bytes:
        """The whole body."""
        return b"".join(self.pieces)


def recorded_answers(
    source: str | Path | Iterable[Mapping[str, Any]], *, api: str | None = None
) -> list[Answer]:
    """Return recorded exchanges as answers, unchanged.

    A row has `status`, the body as `response_text` or `response_json` (or `body`, or `body_sse`),
    and, if known, `resp_headers` (or `headers`), `content_type`, `stream` and `api`.

    Args:
        source: A file of JSON lines, or rows read from one.
        api: Only the rows of this `api`; None (the default) for all.

    Raises:
        OSError: the file cannot be read.
        ValueError: a line is not JSON, or a row has no body.
    """
    if isinstance(source, str | Path):
        lines = Path(source).read_text(encoding="utf-8").splitlines()
        source = [json.loads(line) for line in lines if line.strip()]
    return [_answer(row) for row in source if api is None or row.get("api") == api]


def _answer(row: Mapping[str, Any]) -> Answer:
    recorded: Mapping[str, str] = row.get("resp_headers") or row.get("headers") or {}
    headers = {k.lower(): v for k, v in recorded.items() if k.lower() not in _HOP_HEADERS}
    kind = headers.setdefault("content-type", row.get("content_type") or "application/json")
    pieces = _pieces(_body(row), kind)
    stream = bool(row.get("stream")) or "event-stream" in kind
    return Answer(pieces=pieces, status=row.get("status") or 200, headers=headers, stream=stream)


def _body(row: Mapping[str, Any]) -> bytes:
    for name in ("response_text", "body_sse"):
        if row.get(name) is not None:
            return str(row[name]).encode("utf-8", "surrogatepass")
    for name in ("response_json", "body"):
        if row.get(name) is not None:
            return json.dumps(row[name]).encode()
    raise ValueError(f"a recorded exchange without a body: {sorted(row)}")


def _pieces(body: bytes, kind: str) -> tuple[bytes, ...]:
    if "event-stream" in kind:
        return tuple(_EVENT.findall(body))
    if "ndjson" in kind:
        return tuple(_LINE.findall(body))
    return (body,)


ConnectionEnd = Literal["finish", "close", "reset", "hang"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """How to send an answer.

    Attributes:
        answer: The answer.
        correct: It is the requested answer, complete.
        delay: Seconds before the first byte; None for an endless wait.
        declared: The Content-Length to send; None for the body's own.
        stop: The number of body bytes after which sending stops; None for all.
        pause: Seconds until sending continues after `stop`; None if it does not.
        end: What happens to the connection after the last byte.
    """

    answer: Answer
    correct: bool = True
    delay: float | None = 0.0
    declared: int | None = None
    stop: int | None = None
    pause: float | None = None
    end: ConnectionEnd = "finish"
