"""What a session keeps, loses and bounds, with the double's code interpreter and with E2B's own."""

import json
from collections.abc import Iterator
from typing import Any

import anyio
import pytest
from tests.integrations.sandboxes.e2b.real import RealInterpreterE2B
from tests.integrations.sandboxes.e2b.support import connected, python, until
from tests.integrations.testing.e2b.real import RealServer, real_server

from planish.data.program import Program
from planish.errors import SandboxError, UnsupportedError
from planish_integrations.e2b import E2BSandbox, E2BSession
from planish_integrations.local import InSession
from planish_integrations.sandboxes.e2b import _kernel, _sdk
from planish_integrations.testing.e2b import LoopbackE2B

pytestmark = pytest.mark.anyio

VALUES = {
    "QUOTE": "it's",
    "QUOTES": '"\'\'\'"""',
    "LINES": "a\nb\r\nc",
    "UNICODE": "é漢\U0001f600",
    "EMPTY": "",
    "BACKSLASH": "\\n\\",
    "CODE": "'; print('INJECTED'); '",
    "LONG": "x" * 100_000,
}


@pytest.fixture(scope="module")
def own_server() -> Iterator[RealServer]:
    with real_server() as server:
        yield server


@pytest.fixture(params=["double", pytest.param("real", marks=pytest.mark.real_e2b)])
def server(request: pytest.FixtureRequest) -> Iterator[LoopbackE2B]:
    if request.param == "double":
        with LoopbackE2B(restart_seconds=1) as server:
            yield server
    else:
        with RealInterpreterE2B(request.getfixturevalue("own_server")) as server:
            yield server
    assert not server.errors, server.errors


async def test_every_variable_survives(server: LoopbackE2B) -> None:
    read = f"import json, os\nprint(json.dumps({{n: os.environ.get(n) for n in {[*VALUES]}}}))"
    async with connected(server, env=VALUES) as sandbox:
        program = await sandbox.run(python(read))
        assert json.loads(program.stdout) == VALUES
        async with sandbox.session() as session:
            first = await session.run(read)
            again = await session.run(read)
    assert first.stderr == b""
    assert json.loads(first.stdout) == VALUES
    assert json.loads(again.stdout) == VALUES
    assert all(not one.get("envVars") for one in server.creations)


@pytest.mark.parametrize("name", ["", "A=B", "A\0B"])
def test_a_variable_that_no_process_can_have_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="env"):
        E2BSandbox(env={name: "value"})
    with pytest.raises(ValueError, match="env"):
        E2BSandbox(env={"A": "nul\0"})


async def test_after_a_cancelled_listing_steps_and_listings_are_right(server: LoopbackE2B) -> None:
    slow = "class Slow:\n    def __repr__(self):\n        import time; time.sleep(20)\nx = Slow()"
    async with connected(server).session() as session:
        await session.run(slow)
        with anyio.move_on_after(0.7) as over:
            await session.variables()
        assert over.cancelled_caught
        step = await session.run("y = 2; y")
        assert (step.exit_code, step.stderr) == (0, b"")
        assert [one.name for one in await session.variables()] == ["y"]


async def test_a_listing_that_a_step_has_broken_is_an_error(server: LoopbackE2B) -> None:
    async with connected(server).session() as session:
        await session.run("import sys; del sys.modules['planish_steps']; x = 1")
        with pytest.raises(SandboxError, match=r"did not list its variables: ModuleNotFoundError"):
            await session.variables()
        assert (await session.run("x")).displays[0].text == "1"


@pytest.mark.parametrize(
    ("code", "ends"),
    [
        ("exit()", (0, b"")),
        ("exit(3)", (3, b"")),
        ("quit(256 + 7)", (7, b"")),
        ("exit('bye')", (1, b"bye\n")),
        ("import sys; sys.exit(4)", (4, b"")),
        ("import sys; sys.exit()", (0, b"")),
        ("raise SystemExit('why')", (1, b"why\n")),
        ("def f():\n    raise SystemExit(5)\nf()", (5, b"")),
    ],
)
async def test_exit_ends_the_step_with_its_code_and_keeps_the_variables(
    server: LoopbackE2B, code: str, ends: tuple[int, bytes]
) -> None:
    async with connected(server).session() as session:
        await session.run("x = 41")
        done = await session.run(f"print('before')\n{code}\nprint('after')")
        assert (done.exit_code, done.stderr) == ends
        assert (done.stdout, done.limit) == (b"before\n", None)
        await anyio.sleep(1.5)  # in which IPython's own exit would end the interpreter
        after = await session.run("x + 1")
        assert (after.displays[0].text, after.findings) == ("42", ())


async def kill_interpreter(session: E2BSession, server: LoopbackE2B) -> None:
    """End the interpreter between two steps, and wait until another one is ready."""
    double = vars(server)
    kernels: list[Any] = []
    if not isinstance(server, RealInterpreterE2B):
        kernels += double["_control"].machines[session.sandbox_id].kernels.values()
    before = [kernel.process for kernel in kernels]
    assert (await session.run("threading.Timer(0.3, os._exit, [0]).start()")).ok
    if not kernels:
        await anyio.sleep(6)  # in which E2B's own server starts another one
        return
    await until(lambda: [kernel.process for kernel in kernels] != before, "it was replaced")
    for kernel in kernels:
        await anyio.to_thread.run_sync(double["_portal"].call, kernel.ready)


async def test_an_interpreter_that_was_replaced_is_noticed_and_said(server: LoopbackE2B) -> None:
    async with connected(server).session() as session:
        await session.run("x = 1; import os, threading")
        await kill_interpreter(session, server)
        step = await session.run("open('ran', 'a').write('x'); 'x' in globals()")
        assert step.displays[0].text == "False"
        assert step.findings == ("the interpreter ended between two steps: the variables are gone",)
        assert await session.read("ran") == b"x", "the step ran once"
        assert (await session.run("1")).findings == ()
        await session.run("threading = __import__('threading'); os = __import__('os'); y = 1")
        await kill_interpreter(session, server)
        assert await session.variables() == ()
        assert (await session.run("2")).findings == step.findings


async def test_a_step_sent_to_a_dead_interpreter_is_not_blamed(server: LoopbackE2B) -> None:
    async with connected(server).session() as session:
        await session.run("import os, threading; threading.Timer(0.2, os._exit, [0]).start()")
        await anyio.sleep(0.4)
        step = await session.run("print('ran')")
        if step.exit_code:  # the new one was not there yet
            assert b"ended before this step" in step.stderr
            assert b"variables are gone" in step.stderr
        else:
            assert step.findings
        assert (await session.run("print('ran')")).stdout == b"ran\n"


async def test_names_of_the_template_are_listed_once_they_are_the_users(
    server: LoopbackE2B,
) -> None:
    async with connected(server).session() as session:
        assert await session.variables() == ()
        await session.run("ip = 1\nAny = 2\nopen = 3\ndisplay = 4\nexit = 5\nsys = 6")
        listed = {one.name: one.preview for one in await session.variables()}
        assert listed == {
            "Any": "2", "display": "4", "exit": "5", "ip": "1", "open": "3", "sys": "6"
        }  # fmt: skip


async def test_displays_are_bounded_as_in_a_local_session(server: LoopbackE2B) -> None:
    async with connected(server).session() as session:
        large = await session.run(
            "display({'text/html': 'x' * 40_000_000}, raw=True)\n'y' * 9_000_000"
        )
        assert large.ok
        assert sum(len(form) for one in large.displays for form in one.forms.values()) < 10_000
        assert large.displays[-1].text.endswith("more characters")
        fits = await session.run("display({'text/html': 'x' * 8_000_000}, raw=True)")
        assert len(fits.displays[0].forms["text/html"]) == 8_000_000
        many = await session.run("for i in range(1500): display(i)")
        assert len(many.displays) == 1000
        total = await session.run(
            "for i in range(9): display({'text/html': 'x' * 8_000_000}, raw=True)"
        )
        assert sum(len(one.forms.get("text/html", b"")) for one in total.displays) == 32_000_000
        assert (await session.run("1")).displays[0].text == "1"


async def test_displays_that_evade_the_hooks_are_a_flood(
    server: LoopbackE2B, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Its own figures are larger, and larger than what the hooks let pass: the test above.
    monkeypatch.setattr(_kernel, "_DISPLAY_BYTES", 1_000_000)
    async with connected(server).session() as session:
        several = (
            "import types\npub = get_ipython().display_pub\ndel pub.publish\n"
            "for i in range(12): display({'text/html': 'x' * 100_000}, raw=True)"
        )
        flood = await session.run(several)
        assert (flood.limit, flood.exit_code, flood.displays) == ("output_bytes", None, ())
        # The SDK holds one display whole before it can be counted: the response is bounded.
        monkeypatch.setattr(_kernel, "_DISPLAY_BYTES", 10_000_000)
        monkeypatch.setattr(_sdk, "_RESPONSE_BYTES", 1_000_000)
        one = "del get_ipython().display_pub.publish\ndisplay({'a/b': 'x' * 2_000_000}, raw=True)"
        assert (await session.run(one)).limit == "output_bytes"
        assert (await session.run("1")).ok


async def test_a_step_that_puts_another_display_in_place_harms_itself_only(
    server: LoopbackE2B,
) -> None:
    async with connected(server).session() as session:
        assert (await session.run("import builtins; builtins.display = display = print")).ok
        assert (await session.run("display(1)")).stdout == b"1\n"


async def test_snapshots_and_programs_in_it_are_refused_with_what_to_use(
    server: LoopbackE2B,
) -> None:
    async with connected(server).session() as session:
        assert isinstance(session, E2BSession)
        with pytest.raises(UnsupportedError, match="use LocalSession, pause"):
            await session.snapshot()
        with pytest.raises(UnsupportedError, match="use LocalSession, pause"):
            await session.restore(object())
        inside = InSession(session)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        with pytest.raises(UnsupportedError, match="LocalSession"):
            await inside.run(Program(main="main.py", files={"main.py": b"pass"}))


async def test_a_magic_a_comment_and_nothing_are_steps(server: LoopbackE2B) -> None:
    async with connected(server).session() as session:
        assert (await session.run("%%bash\necho from bash")).stdout == b"from bash\n"
        for code in ("", "# only a comment", "\n\n"):
            assert (await session.run(code)).ok
        awaited = await session.run("import asyncio\nawait asyncio.sleep(0, 'slept')")
        assert awaited.displays[0].text == "slept"
        failed = await session.run("x = 1\n\n1 / 0")
        assert b"line 3" in failed.stderr, "the line of the step itself"
