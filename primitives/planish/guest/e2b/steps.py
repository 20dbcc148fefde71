"""Run in the IPython kernel of a session: mark steps, bound displays, lose none, list variables.

Installed once per kernel. A step is sent with a first line that only an installed kernel takes
away; in any other kernel that line is an unknown magic, so that the step does not run there.
"""

from __future__ import annotations

import base64
import builtins
import json
import os
import sys
import types
import warnings
from collections.abc import Callable
from itertools import islice
from typing import Any, cast

__all__ = ["END", "HEADER", "LISTED", "Steps", "install"]

HEADER = "%%planish_step"
END = "application/vnd.planish.end+json"
LISTED = "application/vnd.planish.variables+json"

_FORM_BYTES = 8 << 20  # bytes of one form; the figures are those of local sessions
_STEP_BYTES = 4 * _FORM_BYTES  # bytes of all displays of one step
_DISPLAYS = 1000  # displays of one step
_TEXT = 4000  # characters of a text that replaces one that is too large

_ROWS, _CHARACTERS, _ITEMS = 30, 100, 3
_WHOLE = 4000  # characters of a preview, whatever it is of


class Steps:
    """The hooks of one kernel.

    Args:
        word: Part of every end mark; the step does not receive it.
        env: Variables to set.
    """

    def __init__(self, word: str, env: dict[str, str]) -> None:
        self._word = word
        self._shell: Any = vars(builtins)["get_ipython"]()
        self._publish: Callable[..., Any] = self._shell.display_pub.publish
        self._write_value: Callable[..., Any] = self._shell.displayhook.write_format_data
        self._bytes = self._displays = 0
        os.environ.update(env)
        self._queue_without_limit()
        self._shell.ask_exit = self._leave
        warnings.filterwarnings("ignore", message="To exit: use")
        self._shell.input_transformers_cleanup.insert(0, self._take_header)
        self._shell.display_pub.publish = self._publish_bounded
        self._shell.displayhook.write_format_data = self._write_bounded
        self._shell.events.register("post_run_cell", self._finish)
        self._before: dict[str, Any] = dict(self._shell.user_ns)

    def _queue_without_limit(self) -> None:
        """Make the kernel keep every message until the server has read it.

        By default its publishing socket drops messages, without an error, while 1,000 are unsent:
        lines and displays are missing, or the end of the step, which then never ends. The bounds
        of a step hold all the same: displays by these hooks, output by the session's reader.
        """
        thread = getattr(getattr(self._shell, "kernel", None), "iopub_thread", None)
        if thread is not None:  # the socket is used in this thread only
            thread.schedule(lambda: setattr(thread.socket, "sndhwm", 0))

    def _take_header(self, lines: list[str]) -> list[str]:
        """Remove the first line of a step."""
        if lines and lines[0].strip() == HEADER:
            self._bytes = self._displays = 0
            return lines[1:] or ["\n"]
        return lines

    def _leave(self) -> None:
        """End the step, where IPython would end the kernel: `exit()`, `exit(3)`."""
        code, self._shell.keepkernel_on_exit = self._shell.keepkernel_on_exit, None
        raise SystemExit(None if code is False else code)

    def _finish(self, result: Any = None) -> None:
        """Mark the end of a step. Without this mark its answer is not whole."""
        ended: dict[str, Any] = {"word": self._word}
        error = getattr(result, "error_in_exec", None)
        if isinstance(error, SystemExit):
            ended["exit"], ended["message"] = _exit_code(error.code)
        self._publish({END: json.dumps(ended)})

    def _publish_bounded(self, data: dict[str, Any], *args: Any, **options: Any) -> None:
        bounded = self._bounded(data)
        if bounded:
            self._publish(bounded, *args, **options)

    def _write_bounded(self, format_dict: dict[str, Any], md_dict: Any = None) -> None:
        bounded = self._bounded(format_dict)
        if bounded:
            self._write_value(bounded, md_dict)

    def _bounded(self, forms: dict[str, Any]) -> dict[str, Any]:
        """Leave out forms that are too large, and displays beyond the bounds of a step."""
        sizes = {form: _size(data) for form, data in forms.items()}
        kept = {form: data for form, data in forms.items() if sizes[form] <= _FORM_BYTES}
        if self._bytes + sum(sizes[form] for form in kept) > _STEP_BYTES:
            kept = {}
        text = forms.get("text/plain")
        if "text/plain" not in kept and isinstance(text, str):
            kept["text/plain"] = f"{text[:_TEXT]} … {max(0, len(text) - _TEXT)} more characters"
        self._displays += 1
        self._bytes += sum(_size(data) for data in kept.values())
        return kept if self._displays <= _DISPLAYS else {}

    def variables(self) -> None:
        """Show a summary of the variables that steps have set."""
        listed: list[dict[str, Any]] = []
        for name, value in sorted(self._shell.user_ns.items()):
            of_template = name in self._before and self._before[name] is value
            if not (of_template or name.startswith("_") or isinstance(value, types.ModuleType)):
                listed.append(_variable(name, value))
        self._publish({LISTED: json.dumps(listed)})


def _exit_code(code: Any) -> tuple[int, str]:
    """Return the exit code and the message of a `SystemExit`, as Python itself ends."""
    if code is None:
        return 0, ""
    if isinstance(code, int):
        return code & 0xFF, ""
    try:
        return 1, f"{code}\n"
    except Exception as error:  # noqa: BLE001  # any class may raise anything
        return 1, f"<{type(error).__name__}>\n"


def _size(data: Any) -> int:
    if isinstance(data, str):
        return len(data.encode("utf-8", "replace"))
    if isinstance(data, (bytes, bytearray)):
        return len(data) * 4 // 3
    try:
        return len(json.dumps(data, default=str))
    except Exception:  # noqa: BLE001  # no JSON: IPython itself will refuse it
        return 0


def _variable(name: str, value: Any) -> dict[str, Any]:
    kind = type(value).__name__
    try:
        return {"name": name, "type": kind, "shape": _shape(value), "preview": _preview(value)}
    except Exception as error:  # noqa: BLE001  # a value may do anything when it is looked at
        return {"name": name, "type": kind, "shape": None, "preview": f"<{type(error).__name__}>"}


def _shape(value: Any) -> list[int] | None:
    shape: Any = getattr(value, "shape", None)
    if type(shape) is tuple:
        sizes = cast("tuple[int, ...]", shape)
        return [int(size) for size in sizes]
    if isinstance(value, (str, bytes, bytearray, type)):
        return None
    kind = cast("Any", type(value))
    return [len(value)] if hasattr(kind, "__len__") else None


def _preview(value: Any) -> str:
    if isinstance(value, str):
        return value[:_CHARACTERS]
    if isinstance(value, (bytes, bytearray)):
        return repr(bytes(value[:_CHARACTERS]))[:_CHARACTERS]
    if hasattr(value, "to_string") and hasattr(value, "head"):
        return str(value.head(_ROWS).to_string())[:_WHOLE]
    kind: Any = cast("Any", type(value))
    if issubclass(kind, dict):
        first = [f"{key!r}: {value[key]!r}" for key in islice(value, _ITEMS)]
        return _items(first, len(value), "{}")
    if issubclass(kind, (list, tuple, set, frozenset)):
        brackets = "[]" if issubclass(kind, list) else "()" if issubclass(kind, tuple) else "{}"
        first = [repr(item) for item in islice(value, _ITEMS)]
        return _items(first, len(value), brackets)
    return repr(value)[:_CHARACTERS]


def _items(first: list[str], count: int, brackets: str) -> str:
    more = [f"... {count - len(first)} more"] if count > len(first) else []
    short = [item[:_CHARACTERS] for item in first]
    return brackets[0] + ", ".join(short + more) + brackets[1]


def install(word: str, env: str) -> None:
    """Install the hooks.

    Args:
        word: The word of the end marks.
        env: Variables to set, as a JSON object in base64.
    """
    module: Any = types.ModuleType("planish_steps")
    module.variables = Steps(word, json.loads(base64.b64decode(env))).variables
    sys.modules["planish_steps"] = module
