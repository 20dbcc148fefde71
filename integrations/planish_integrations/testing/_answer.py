"""What a loopback provider sends: written by hand, or recorded from a real one."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

__all__ = ["Answer", "ConnectionEnd", "Delivery", "recorded_answers"]

_EVENT = re.compile(rb".*?(?:\r\n\r\n|\n\n|\r\r)|.+\Z", re.DOTALL)
_LINE = re.compile(rb"[^\n]*\n|[^\n]+\Z")
# What belongs to one connection, or to a body as it was packed then.
_OF_THE_HOP = frozenset({"connection", "content-encoding", "content-length", "transfer-encoding"})


def _json() -> dict[str, str]:
    return {"content-type": "application/json"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One HTTP answer, byte for byte.

    Attributes:
        pieces: The body, in the pieces it is sent in: of a stream, one event each.
        status: The HTTP status; 200 by default.
        headers: Those besides the framing of the body, which the server adds; JSON by default.
        stream: It comes in HTTP chunks, not with a Content-Length.
    """

    pieces: tuple[bytes, ...]
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=_json)
    stream: bool = False

    @property
    def body(self) -> bytes:
        """All of it."""
        return b"".join(self.pieces)


def recorded_answers(
    source: str | Path | Iterable[Mapping[str, Any]], *, api: str | None = None
) -> list[Answer]:
    """Recorded exchanges as answers, verbatim.

    A row has `status`, the body as `response_text` or `response_json` (or `body`, or `body_sse`),
    and, where they are known, `resp_headers` (or `headers`), `content_type`, `stream` and `api`.

    Args:
        source: A file of JSON lines, or rows that were read from one.
        api: Only the rows of this `api`; None for all.

    Raises:
        OSError: the file cannot be read.
        ValueError: a line is not JSON, or a row has no body.
    """
    if isinstance(source, str | Path):
        lines = Path(source).read_text(encoding="utf-8").splitlines()
        source = [json.loads(line) for line in lines if line.strip()]
    return [_answer(row) for row in source if api is None or row.get("api") == api]


def _answer(row: Mapping[str, Any]) -> Answer:
    told: Mapping[str, str] = row.get("resp_headers") or row.get("headers") or {}
    headers = {k.lower(): v for k, v in told.items() if k.lower() not in _OF_THE_HOP}
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
    """An answer on its way.

    Attributes:
        answer: What is sent.
        right: It is the answer that was asked for, whole.
        wait: Seconds before the first byte; None for ever.
        declared: A Content-Length to send; None for what fits the answer.
        stop: Bytes of the body after which it stops; None for all of them.
        hold: Seconds it stops there, and then goes on; None where it does not.
        end: What becomes of the connection where it stops for good.
    """

    answer: Answer
    correct: bool = True
    delay: float | None = 0.0
    declared: int | None = None
    stop: int | None = None
    pause: float | None = None
    end: ConnectionEnd = "finish"
