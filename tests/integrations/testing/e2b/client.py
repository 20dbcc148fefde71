"""Ask a code interpreter of E2B, and make its answers comparable."""

import contextlib
import json
import re
import time
from collections.abc import Iterator, Mapping
from typing import Any

import httpx

__all__ = ["Answer", "Client"]

Answer = Any
"""A status and what was said, in a form that does not depend on time, place or addresses."""

_DEADLINE = 12.0  # seconds after which a call counts as unanswered


class Client:
    """The server or its double, and how to read what it answers.

    Args:
        http: A client whose requests go to port 49999 of one sandbox.
        replace: Parts of its answers that depend on where it runs, with what to read instead.
    """

    def __init__(self, http: httpx.Client, replace: Mapping[str, str]) -> None:
        self.http = http
        self._replace = dict(replace)

    def request(self, method: str, path: str, **options: Any) -> Answer:
        """Return status and body of an answer, and the media type where there is one."""
        answer = self.http.request(method, path, timeout=_DEADLINE, **options)
        body: Any = answer.text
        with contextlib.suppress(ValueError):
            body = answer.json()
        kind = answer.headers.get("content-type")
        if isinstance(body, dict) and "cwd" in body:
            self._replace[body["id"]] = "CONTEXT"
        return [answer.status_code, kind, body if path == "/contexts" else self._plain(body)]

    def context(self, **options: Any) -> str:
        """Create a context."""
        made = self.http.post("/contexts", json=options, timeout=60)
        identity: str = made.json()["id"]
        self._replace[identity] = "CONTEXT"
        return identity

    def execute(self, code: str, **options: Any) -> Answer:
        """Run a cell; return its events, or the refusal."""
        events = list[Any]()
        try:
            for event in self.stream(code, **options):
                events.append(event)
        except TimeoutError:
            events.append("no answer")
        return self._plain(_merged(events))

    def stream(self, code: str, **options: Any) -> Iterator[Any]:
        """Yield the events of a cell as they come, without the signs of life.

        Raises:
            TimeoutError: it is not answered.
        """
        until = time.monotonic() + _DEADLINE
        body = {"code": code, **options}
        with self.http.stream("POST", "/execute", json=body, timeout=_DEADLINE) as answer:
            if answer.status_code != 200:
                answer.read()
                yield [answer.status_code, answer.headers.get("content-type"), answer.text]
                return
            for line in answer.iter_lines():
                event = json.loads(line)
                if event["type"] != "keepalive":
                    yield event
                if time.monotonic() > until:
                    raise TimeoutError

    def _plain(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._plain_text(value)
        if hasattr(value, "append"):  # a list; decoded JSON has no other types with these
            return [self._plain(one) for one in value]
        if hasattr(value, "items"):
            return {self._plain(name): self._plain(one) for name, one in value.items()}
        return value

    def _plain_text(self, text: str) -> str:
        for found, name in self._replace.items():
            text = text.replace(found, name)
        text = re.sub(r"(?:/[\w.+-]+)*/site-packages/", "site-packages/", text)
        text = re.sub(r"(?:/[\w.+-]+)*/lib/python3\.\d+/", "python/", text)
        text = re.sub(r"(\.py:)\d+", r"\1N", text)
        text = re.sub(r"0x[0-9a-f]{6,}", "0xADDRESS", text)
        text = re.sub(r"ipykernel_\d+", "ipykernel_N", text)
        if text.startswith("iVBOR") and len(text) > 1000:
            return "a picture"
        return text


def _merged(events: list[Any]) -> list[Any]:
    """Drop times, join what was printed on one stream in a row, and put errors at the end.

    Errors and the number of a cell come on other connections than its output: any order is usual.
    """
    first: list[Any] = []
    middle: list[Any] = []
    errors: list[Any] = []
    for found in events:
        event: Any = found
        kind: str = event["type"] if isinstance(found, dict) else ""
        if kind == "stderr":  # matplotlib misses a font of E2B's template
            event["text"] = re.sub(r"WARNING:matplotlib.font_manager:.*\n", "", event["text"])
        if kind in ("stdout", "stderr"):
            event.pop("timestamp")
            last: Any = middle[-1] if middle else None
            if last is not None and not isinstance(last, str) and last["type"] == kind:
                last["text"] += event["text"]
            elif event["text"]:
                middle.append(event)
        elif kind == "number_of_executions":
            first.append(event)
        elif kind in ("error", "end_of_execution"):
            errors.append(event)
        else:
            middle.append(event)
    return [*first, *middle, *errors]
