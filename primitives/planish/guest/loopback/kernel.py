"""The interpreter behind one context of a loopback sandbox: a process with a namespace.

Reads cells as lines of JSON on descriptor 0, answers with events as lines of JSON on what
descriptor 1 was, in the words of E2B's code interpreter. What a cell's subprocesses print arrives
through a pipe. It has of IPython what generated code commonly uses: the value of the last
expression, `display`, `get_ipython().events`, and the `_repr_*_` methods.
"""

import ast
import builtins
import io
import json
import linecache
import os
import signal
import sys
import threading
import time
import traceback
import types
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from .shown import bundle, result

__all__ = ["main"]


class Channel:
    """Where events go: one line of JSON each, from any thread."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lock = threading.Lock()
        self.cell = 0

    def send(self, **event: Any) -> None:
        """Send one event, whole, with the number of the cell it belongs to."""
        data = json.dumps({"cell": self.cell, **event}).encode() + b"\n"
        with self._lock:
            while data:
                data = data[os.write(self._descriptor, data) :]

    def text(self, stream: str, text: str) -> None:
        """Send what was printed."""
        if text:
            self.send(type=stream, text=text, timestamp=time.time_ns())


class Stream(io.TextIOBase):
    """What `sys.stdout` is in a cell."""

    encoding = "utf-8"

    def __init__(self, channel: Channel, name: str) -> None:
        self._channel = channel
        self._name = name

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self._channel.text(self._name, text)
        return len(text)


class Pipe(threading.Thread):
    """What subprocesses print on a descriptor."""

    def __init__(self, channel: Channel, descriptor: int, name: str) -> None:
        super().__init__(daemon=True)
        self._channel = channel
        self._stream = name
        self._read, write = os.pipe()
        os.dup2(write, descriptor)
        os.close(write)
        os.set_blocking(self._read, False)
        self._lock = threading.Lock()

    def run(self) -> None:
        while True:
            time.sleep(0.02)
            self.drain()

    def drain(self) -> None:
        with self._lock, suppress(BlockingIOError):
            while data := os.read(self._read, 65536):
                self._channel.text(self._stream, data.decode(errors="replace"))


class Shown:
    """Text of some media type, as `IPython.display.HTML` makes it."""

    def __init__(self, form: str, data: str) -> None:
        self._forms = {form: data}

    def _repr_mimebundle_(self) -> dict[str, str]:
        return self._forms


class Events:
    """IPython's events: of these, the ones after a cell."""

    def __init__(self) -> None:
        self.callbacks: dict[str, list[Callable[..., Any]]] = {}

    def register(self, event: str, function: Callable[..., Any]) -> None:
        self.callbacks.setdefault(event, []).append(function)

    def unregister(self, event: str, function: Callable[..., Any]) -> None:
        self.callbacks[event].remove(function)

    def trigger(self, event: str, *args: Any) -> None:
        for function in list(self.callbacks.get(event, ())):
            function(*args)


class Kernel:
    """One namespace, and the cells run in it."""

    def __init__(self, channel: Channel, pipes: list[Pipe]) -> None:
        self._channel = channel
        self._pipes = pipes
        self.events: Events = Events()
        self.execution_count: int = 0
        self.user_ns: dict[str, Any] = {"__name__": "__main__", "__builtins__": builtins}
        sys.modules["__main__"].__dict__.update(self.user_ns)
        self.user_ns = sys.modules["__main__"].__dict__
        builtin: Any = builtins
        builtin.get_ipython = lambda: self
        builtin.display = self.display
        self._pretend_to_be_ipython()

    def _pretend_to_be_ipython(self) -> None:
        package: Any = types.ModuleType("IPython")
        module: Any = types.ModuleType("IPython.display")
        module.display = self.display
        module.HTML = partial(Shown, "text/html")
        module.Markdown = partial(Shown, "text/markdown")
        package.display = module
        package.get_ipython = lambda: self
        sys.modules.update({"IPython": package, "IPython.display": module})

    def display(self, *things: Any, raw: bool = False, **_: Any) -> None:
        """Show something on the way."""
        for thing in things:
            forms: dict[str, Any] = thing if raw else bundle(thing)
            self._show(forms, main=False)

    def _show(self, forms: dict[str, Any], *, main: bool) -> None:
        self._channel.send(type="result", is_main_result=main, **result(forms))

    def run(self, code: str) -> None:
        """Run one cell and tell all that comes of it."""
        self.execution_count += 1
        self._channel.send(type="number_of_executions", execution_count=self.execution_count)
        try:
            self._cell(code)
        except BaseException as error:  # noqa: BLE001  # whatever a cell raises is its answer
            self._tell(error)
        for event in ("post_execute", "post_run_cell"):
            with suppress(Exception):
                self.events.trigger(event, *([None] if event == "post_run_cell" else []))
        for pipe in self._pipes:
            pipe.drain()
        self._channel.send(type="end_of_execution")

    def _cell(self, code: str) -> None:
        name = f"<cell {self.execution_count}>"
        linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
        tree = ast.parse(code, name)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, name, "exec"), self.user_ns)  # noqa: S102  # that is its work
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), name, "eval"), self.user_ns)  # noqa: S307
            if value is not None:
                self._show(bundle(value), main=True)

    def _tell(self, error: BaseException) -> None:
        frames = error.__traceback__
        while frames is not None and frames.tb_frame.f_code.co_filename == __file__:
            frames = frames.tb_next
        lines = traceback.format_exception(type(error), error, frames)
        self._channel.send(
            type="error", name=type(error).__name__, value=str(error), traceback="".join(lines)
        )


def main() -> None:
    """Run cells until there are no more."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    channel = Channel(os.dup(1))
    cells = os.fdopen(os.dup(0), encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    pipes = [Pipe(channel, 1, "stdout"), Pipe(channel, 2, "stderr")]
    for pipe in pipes:
        pipe.start()
    sys.stdout, sys.stderr = Stream(channel, "stdout"), Stream(channel, "stderr")
    sys.argv = [""]
    sys.path[0] = str(Path.cwd())
    kernel = Kernel(channel, pipes)
    channel.send(type="ready")
    while line := _next(cells):
        cell = json.loads(line)
        channel.cell = cell["cell"]
        kernel.run(cell["code"])


def _next(cells: io.TextIOBase) -> str:
    while True:
        with suppress(KeyboardInterrupt):  # an interrupt that comes after its cell
            return cells.readline()
