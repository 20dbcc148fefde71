"""Messages of an IPython kernel as events of E2B's code interpreter."""

from collections import deque
from collections.abc import Mapping
from typing import Any

import anyio

__all__ = ["Event", "Execution", "read_message"]

Event = dict[str, Any]

_FIELDS = {
    "text/plain": "text",
    "text/html": "html",
    "text/markdown": "markdown",
    "image/svg+xml": "svg",
    "image/png": "png",
    "image/jpeg": "jpeg",
    "application/pdf": "pdf",
    "text/latex": "latex",
    "application/json": "json",
    "application/javascript": "javascript",
    "e2b/data": "data",
    "e2b/chart": "chart",
}


class Execution:
    """One cell that runs: the events that have arrived.

    Attributes:
        accepted: The kernel has started with it.
        replied: The kernel has replied, on another connection than the events.
        idle: The kernel has reported that it is idle again.
        failed: Its error has been added.
    """

    def __init__(self, *, in_background: bool = False) -> None:
        self.in_background = in_background
        self.accepted = False
        self.replied = False
        self.idle = False
        self.failed = False
        self._events = deque[Event | None]()
        self._arrived = anyio.Event()

    def add(self, event: Event) -> None:
        """Add an event."""
        self._put(event)

    def fail(self, name: str, value: str, traceback: str = "") -> None:
        """Add an error."""
        self.add({"type": "error", "name": name, "value": value, "traceback": traceback})

    def end(self) -> None:
        """Add the end."""
        self._put(None)

    def _put(self, event: Event | None) -> None:
        self._events.append(event)
        self._arrived.set()

    async def next(self) -> Event | None:
        """Return the next event; None at the end."""
        while not self._events:
            self._arrived = anyio.Event()
            await self._arrived.wait()
        return self._events.popleft()


def read_message(message: Mapping[str, Any], executions: Mapping[str, Execution]) -> None:
    """Add what a message says to the cell it belongs to; ignore messages without one."""
    execution = executions.get(message["parent_header"].get("msg_id", ""))
    if execution is None:
        return
    kind, content = message["msg_type"], message["content"]
    if kind == "status":
        _read_status(content["execution_state"], execution)
    elif kind in ("execute_reply", "kernel_info_reply"):
        execution.replied = True
        if content["status"] == "error":
            _fail(execution, content)
    elif kind == "execute_input":
        execution.accepted = True
        count = content["execution_count"]
        execution.add({"type": "number_of_executions", "execution_count": count})
    elif kind == "stream":
        stamp = message["header"]["date"].isoformat()
        execution.add({"type": content["name"], "text": content["text"], "timestamp": stamp})
    elif kind in ("display_data", "execute_result"):
        execution.add(_result(content["data"], main=kind == "execute_result"))
    elif kind == "error":
        _fail(execution, content)
    if execution.idle and execution.replied:
        execution.end()


def _read_status(state: str, execution: Execution) -> None:
    if state == "busy" and execution.in_background:
        execution.accepted = True
    elif state == "idle" and execution.accepted:
        execution.idle = True


def _fail(execution: Execution, content: Mapping[str, Any]) -> None:
    if not execution.failed:
        execution.failed = True
        traceback = "".join(content.get("traceback", ()))
        execution.fail(content.get("ename", ""), content.get("evalue", ""), traceback)


def _result(forms: Mapping[str, Any], *, main: bool) -> Event:
    """Return a `result` event; media types without a field of their own are in `extra`."""
    fields = {_FIELDS[form]: data for form, data in forms.items() if form in _FIELDS}
    text = fields.get("text")
    if text and text[0] == text[-1] and text[0] in "'\"":
        fields["text"] = text[1:-1]  # E2B's server removes the quotes
    extra = {form: data for form, data in forms.items() if form not in _FIELDS}
    return {"type": "result", **fields, "extra": extra, "is_main_result": main}
