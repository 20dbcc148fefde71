"""Sessions at E2B: what stays from step to step, and what is shown."""

import base64
import json

import anyio
import pytest
from tests.integrations.sandboxes.e2b.support import connected, until

from planish.abc import Session
from planish.effects import execute_step
from planish.errors import SandboxError
from planish_integrations.testing.e2b import LoopbackE2B

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n and so on").decode()
CHART = {
    "type": "bar",
    "title": "Sales",
    "x_label": None,
    "y_label": None,
    "x_unit": None,
    "y_unit": None,
    "elements": [{"label": "a", "value": "1", "group": "g"}],
}


@pytest.mark.anyio
async def test_state_stays_from_step_to_step(server: LoopbackE2B) -> None:
    async with connected(server).session() as session:
        assert isinstance(session, Session)
        first = await session.run("x = 20\nimport math\nopen('f', 'w').write('in a file')")
        failed = await session.run("x += 1\n1 / 0")
        last = await execute_step(session, "print(open('f').read())\nx * 2")
    assert first.ok
    assert failed.exit_code == 1
    assert failed.stderr.endswith(b"ZeroDivisionError: division by zero\n")
    assert last.stdout == b"in a file\n"
    assert last.displays[0].main
    assert last.displays[0].text == "42"
    assert last.isolation == "microvm"
    assert "network" in last.guarantees


@pytest.mark.anyio
async def test_every_line_of_a_fast_step_arrives(server: LoopbackE2B) -> None:
    # A socket of ZeroMQ keeps 1,000 messages at each of its ends, and drops what comes then.
    async with connected(server).session() as session:
        step = await session.run("for i in range(2500): print(i, flush=True)", seconds=60)
        assert (step.exit_code, step.limit) == (0, None), step.stderr
        assert [int(line) for line in step.stdout.splitlines()] == [*range(2500)]


@pytest.mark.anyio
async def test_two_sessions_do_not_see_each_other(server: LoopbackE2B) -> None:
    async with connected(server) as sandbox:
        async with sandbox.session() as one, sandbox.session() as other:
            await one.run("x = 1; open('f', 'w').close()")
            seen = await other.run("import os; 'x' in globals() or os.path.exists('f')")
            assert one.sandbox_id != other.sandbox_id
        assert seen.displays[0].text == "False"
        await until(lambda: not server.sandboxes, "a sandbox is left")


@pytest.mark.anyio
async def test_variables_are_listed_in_short(server: LoopbackE2B) -> None:
    async with connected(server).session() as session:
        assert not await session.variables()
        await session.run(
            "import json\nnumbers = list(range(10))\ntext = 'x' * 1000\n_hidden = 1\n"
            "table = {'a': 1}\nclass Odd:\n    def __repr__(self): raise ValueError\nodd = Odd()"
        )
        found = {one.name: one for one in await session.variables()}
    assert list(found) == ["Odd", "numbers", "odd", "table", "text"]
    assert found["numbers"].shape == (10,)
    assert found["numbers"].preview == "[0, 1, 2, ... 7 more]"
    assert found["text"].preview == "x" * 100
    assert found["table"].preview == "{'a': 1}"
    assert found["odd"].type == "Odd"
    assert found["odd"].preview == "<ValueError>"


@pytest.mark.anyio
async def test_pictures_tables_and_charts_are_kept(server: LoopbackE2B) -> None:
    bundle = {"text/plain": "<Figure>", "image/png": PNG, "e2b/chart": CHART}
    code = f"""
from IPython.display import HTML, display
print('before')
display({bundle!r}, raw=True)
display({{'application/x-own': 'whatever'}}, raw=True)
HTML('<b>bold</b>')
"""
    async with connected(server).session() as session:
        done = await session.run(code)
    assert done.stdout == b"before\n"
    figure, own, html = done.displays
    assert figure.forms["image/png"].startswith(b"\x89PNG")
    chart = json.loads(figure.forms["application/vnd.e2b.chart+json"])
    assert chart["title"] == "Sales"
    assert chart["elements"][0]["value"] == "1"
    assert own.forms == {"application/x-own": b"whatever"}
    assert html.forms["text/html"] == b"<b>bold</b>"
    assert [one.main for one in done.displays] == [False, False, True]


@pytest.mark.anyio
async def test_files_come_and_go_as_bytes(server: LoopbackE2B) -> None:
    async with connected(server).session() as session:
        await session.write("data/in.bin", bytes(range(256)))
        await session.run("d = open('data/in.bin', 'rb').read(); open('out', 'wb').write(d[::-1])")
        assert await session.read("out") == bytes(range(256))[::-1]
        with pytest.raises(SandboxError, match="absent"):
            await session.read("absent")


@pytest.mark.anyio
async def test_a_paused_session_goes_on_where_it_was(server: LoopbackE2B) -> None:
    async with connected(server).session() as session:
        await session.run("x = 41")
        await session.pause()
        with pytest.raises(SandboxError, match="resume"):
            await session.run("x")
        assert server.sandboxes == (session.sandbox_id,)
        await session.resume()
        assert (await session.run("x + 1")).displays[0].text == "42"
    async with connected(server).session() as session:
        await session.pause()  # and it is killed also then
    assert not server.sandboxes


@pytest.mark.anyio
async def test_a_flood_of_output_is_stopped(server: LoopbackE2B) -> None:
    async with connected(server).session() as session:
        done = await session.run("while True: print('x' * 1000)")
        assert done.limit == "output_bytes"
        assert len(done.stdout) == 1_000_000
        assert (await session.run("print('next')")).stdout == b"next\n"


@pytest.mark.anyio
async def test_a_session_outlives_its_first_lease(server: LoopbackE2B) -> None:
    async with connected(server, lifetime=60).session() as session:
        await session.run("x = 1", seconds=120)
        assert server.calls["timeout"] == 1
        assert (await session.run("x", seconds=30)).ok
        assert server.calls["timeout"] == 1  # it has been given time enough
        assert (await session.run("x", seconds=240)).ok
        assert server.calls["timeout"] == 2


@pytest.mark.anyio
async def test_steps_of_one_session_wait_for_each_other(server: LoopbackE2B) -> None:
    async with connected(server).session() as session:
        async with anyio.create_task_group() as tasks:
            for number in range(4):
                code = (
                    f"import time; seen = globals().get('seen', []) + [{number}]; time.sleep(.05)"
                )
                tasks.start_soon(session.run, code)
        assert (await session.run("len(seen)")).displays[0].text == "4"


@pytest.mark.anyio
async def test_a_cancelled_step_does_not_block_the_next(server: LoopbackE2B) -> None:
    async with connected(server).session() as session:
        await session.run("x = 1")
        with anyio.move_on_after(0.3):
            await session.run("import time; time.sleep(60)")
        assert (await session.run("2")).displays[0].text == "2"


TRICKS = {
    "removes what says that a step is over": (
        "events = get_ipython().events\n"
        "for call in list(events.callbacks['post_run_cell']):\n"
        "    events.unregister('post_run_cell', call)"
    ),
    "ends its interpreter": "import os; os._exit(0)",
    "kills its interpreter": "import os; os.kill(os.getpid(), 9)",
}


@pytest.mark.anyio
@pytest.mark.parametrize("trick", TRICKS)
async def test_a_step_that_attacks_its_interpreter_fails_and_the_next_one_runs(
    server: LoopbackE2B, trick: str
) -> None:
    async with connected(server).session() as session:
        await session.write("kept.txt", b"kept")
        await session.run("x = 1")
        done = await session.run(TRICKS[trick])
        assert (done.exit_code, done.limit) == (1, None), done
        assert b"its variables are gone" in done.stderr
        after = await session.run("'x' in globals(), open('kept.txt').read()")
        assert after.displays[0].text == "(False, 'kept')"
