"""Contexts and processes of a loopback E2B, without its server."""

import base64
import os
import signal
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import anyio.abc
import pytest

from planish_integrations.testing.e2b._kernel import Kernel
from planish_integrations.testing.e2b._processes import Process, read_some

pytestmark = pytest.mark.anyio

ENV = {"PATH": os.environ["PATH"], "A": "b"}
Run = Callable[[str], Awaitable[list[dict[str, Any]]]]


class Followed(Kernel):
    """A context whose processes are followed, as its server does."""

    tasks: anyio.abc.TaskGroup

    def start(self) -> Process:
        process = super().start()
        self.tasks.start_soon(process.follow)
        return process


@pytest.fixture
async def kernel(tmp_path: Path) -> AsyncGenerator[Kernel]:
    one = Followed("one", tmp_path, "/home/user", ENV)
    async with anyio.create_task_group() as one.tasks:
        one.start()
        await one.ready()
        assert one.alive
        yield one
        one.close()
        assert not one.alive


@pytest.fixture
def run(kernel: Kernel) -> Run:
    """Runs one cell; its events without their times."""

    async def go(code: str) -> list[dict[str, Any]]:
        found = [event async for event in kernel.run(code)]
        for event in found:
            event.pop("timestamp", None)
        return found

    return go


def cell(number: int, *events: dict[str, Any]) -> list[dict[str, Any]]:
    begin = {"type": "number_of_executions", "execution_count": number}
    return [begin, *events, {"type": "end_of_execution"}]


def shown(*, main: bool = True, **forms: Any) -> dict[str, Any]:
    return {"type": "result", "is_main_result": main, **forms}


async def test_cells_share_a_namespace_and_are_counted(run: Run) -> None:
    assert await run("x = 20") == cell(1)
    assert await run("x + 1") == cell(2, shown(text="21"))
    assert await run("None") == cell(3)
    assert await run("") == cell(4)
    assert await run("__name__, get_ipython().execution_count") == cell(
        5, shown(text="('__main__', 5)")
    )


async def test_what_is_printed_is_text_of_its_stream(run: Run) -> None:
    out, err = ({"type": name, "text": name[:3]} for name in ("stdout", "stderr"))
    code = "import sys; print('std', end=''); print('std', end='', file=sys.stderr)"
    assert await run(code) == cell(1, out, err)
    assert await run("import os; os.write(1, b'child'); None") == cell(
        2, {"type": "stdout", "text": "child"}
    )
    assert await run("print(end='')") == cell(3)


async def test_a_value_is_shown_in_every_form_it_has(run: Run) -> None:
    code = """
class A:
    def __repr__(self): return "an A"
    def _repr_html_(self): return "<b>"
    def _repr_png_(self): return b"png"
    def _repr_svg_(self): return None
    def _repr_json_(self): raise ValueError
A()
"""
    png = base64.b64encode(b"png").decode()
    assert await run(code) == cell(1, shown(text="an A", html="<b>", png=png))
    bundle = "class B:\n    def _repr_mimebundle_(self): return {'a/b': 1, 'text/latex': '$'}\nB()"
    (_, value, _) = await run(bundle)
    assert (value["latex"], value["extra"]) == ("$", {"a/b": 1})
    assert await run("'quoted'") == cell(3, shown(text="quoted"))
    assert await run('"it\'s"') == cell(4, shown(text='"it\'s"'))


@pytest.mark.parametrize(
    ("method", "field"),
    [
        *(("html", "html"), ("markdown", "markdown"), ("svg", "svg"), ("png", "png")),
        *(("jpeg", "jpeg"), ("pdf", "pdf"), ("latex", "latex"), ("json", "json")),
        ("javascript", "javascript"),
    ],
)
async def test_each_method_of_a_notebook_has_its_field(run: Run, method: str, field: str) -> None:
    code = f"class A:\n    def _repr_{method}_(self): return 'x'\nA()"
    (_, value, _) = await run(code)
    assert value[field] == "x"


async def test_things_are_displayed_on_the_way(run: Run) -> None:
    code = "from IPython.display import HTML, Markdown, display as show\n"
    code += "display(1, HTML('<i>')); show(Markdown('*')); display({'text/html': 'y'}, raw=True)"
    _, *events, _ = await run(code)
    assert [event["is_main_result"] for event in events] == [False] * 4
    assert [event.get("html") for event in events] == [None, "<i>", None, "y"]
    assert events[0]["text"] == "1"
    assert events[2]["markdown"] == "*"
    frame = "class DataFrame:\n    def to_dict(self, orient): return {orient: [1]}\nDataFrame()"
    (_, value, _) = await run(frame)
    assert value["data"] == {"list": [1]}


async def test_an_error_is_told_with_its_lines(run: Run) -> None:
    (_, error, _) = await run("def f():\n    return 1 / 0\nf()")
    assert (error["type"], error["name"]) == ("error", "ZeroDivisionError")
    assert error["value"] == "division by zero"
    lines = error["traceback"].splitlines()
    assert lines[1].strip() == 'File "<cell 1>", line 3, in <module>'
    assert "return 1 / 0" in error["traceback"]
    assert "kernel.py" not in error["traceback"]
    (_, error, _) = await run("x =")
    assert error["name"] == "SyntaxError"
    (_, error, _) = await run("raise SystemExit(3)")
    assert (error["name"], error["value"]) == ("SystemExit", "3")


async def test_events_of_ipython_come_after_each_cell(run: Run) -> None:
    code = "events = get_ipython().events\n"
    code += "def one(): print('one', end='')\ndef two(result): print('two', result, end='')\n"
    code += "events.register('post_execute', one); events.register('post_run_cell', two)"
    one, two = ({"type": "stdout", "text": text} for text in ("one", "two"))
    said = [event for event in await run(code) if event["type"] == "stdout"]
    assert "".join(event["text"] for event in said) == "onetwo None"
    assert (one["text"], two["text"]) == ("one", "two")
    await run("events.unregister('post_run_cell', two)")
    assert await run("pass") == cell(3, one)


async def test_an_interrupt_ends_a_cell_and_not_the_context(kernel: Kernel, run: Run) -> None:
    found: list[dict[str, Any]] = []
    async for event in kernel.run("print('in', flush=True)\nwhile True: pass"):
        found.append(event)
        if event["type"] == "stdout" and "in" in event["text"]:
            kernel.interrupt()
    assert [event["name"] for event in found if event["type"] == "error"] == ["KeyboardInterrupt"]
    assert kernel.alive
    assert await run("1") == cell(2, shown(text="1"))


async def test_events_of_a_cell_whose_client_left_are_dropped(kernel: Kernel, run: Run) -> None:
    left = kernel.run("print('late')")
    await anext(left)
    await left.aclose()
    assert await run("2") == cell(2, shown(text="2"))


async def test_a_context_that_dies_ends_its_cell_and_can_be_started_again(
    kernel: Kernel, run: Run
) -> None:
    found = await run("import os\nos._exit(1)")
    assert [event["type"] for event in found] == ["number_of_executions"]
    process = kernel.process
    assert process is not None
    process.kill()
    kernel.start()
    await kernel.ready()
    assert (await run("A = 3; A"))[1] == shown(text="3")
    kernel.close()
    assert await run("1") == []


async def ended(process: Process) -> str:
    await process.follow()
    return process.status


@pytest.mark.parametrize(
    ("command", "status"),
    [
        *((["true"], "exit 0"), (["sh", "-c", "exit 3"], "exit 3"), (["no-such"], "exit 127")),
        (["sh", "-c", "kill -TERM $$"], "signal 15"),
    ],
)
async def test_a_process_ends_with_a_status(
    tmp_path: Path, command: list[str], status: str
) -> None:
    process = Process(command, folder=tmp_path, env=ENV, stdin=False)
    assert (process.status, process.ended.is_set(), process.command) == ("", False, (*command,))
    assert await ended(process) == status
    assert process.ended.is_set()


async def test_a_process_that_is_killed_has_the_status_of_that(tmp_path: Path) -> None:
    process = Process(["sleep", "60"], folder=tmp_path, env=ENV, stdin=False)
    process.kill()
    assert await ended(process) == "signal 9"
    assert process.ended.is_set()


async def test_a_process_reads_writes_and_gets_signals(tmp_path: Path) -> None:
    process = Process(["sh", "-c", "cat; echo $A >&2; pwd"], folder=tmp_path, env=ENV, stdin=True)
    await process.write(b"x" * 100_000)
    process.close_stdin()
    read = b""
    while data := await read_some(process.stdout):
        read += data
    assert read == b"x" * 100_000 + f"{tmp_path}\n".encode()
    assert await read_some(process.stderr) == b"b\n"
    assert await ended(process) == "exit 0"
    waiting = Process(["sleep", "60"], folder=tmp_path, env=ENV, stdin=False)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(waiting.follow)
        while not waiting.ended.is_set():  # until the command has been started
            waiting.signal(signal.SIGINT)
            await anyio.sleep(0.005)
    assert waiting.status == "signal 2"


async def test_input_that_the_command_has_closed_is_dropped(tmp_path: Path) -> None:
    command = ["sh", "-c", "exec <&-; echo closed; exec sleep 60"]
    process = Process(command, folder=tmp_path, env=ENV, stdin=True)
    assert await read_some(process.stdout) == b"closed\n"
    with anyio.fail_after(20):
        await process.write(b"x" * 1_000_000)  # more than a pipe holds
    process.kill()
    assert await ended(process) == "signal 9"


async def test_a_frozen_process_goes_on_where_it_was(tmp_path: Path) -> None:
    code = "import sys\nfor line in sys.stdin: print(line, end='', flush=True)"
    command = [sys.executable, "-I", "-u", "-c", code]
    process = Process(command, folder=tmp_path, env=ENV, stdin=True)
    await process.write(b"one\n")
    assert await read_some(process.stdout) == b"one\n"
    process.freeze()
    await anyio.sleep(0.02)
    await process.write(b"two\n")
    with anyio.move_on_after(0.1) as frozen:
        await read_some(process.stdout)
    assert frozen.cancelled_caught
    process.freeze(thaw=True)
    assert await read_some(process.stdout) == b"two\n"
    process.close_stdin()
    assert await ended(process) == "exit 0"
