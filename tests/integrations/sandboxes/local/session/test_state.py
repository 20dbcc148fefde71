"""Variables in short, what is shown, snapshots, and programs that run beside a session."""

import anyio
import pytest

from planish import Candidate, CodeExecution, CodeGenerator, Retry, Task, Validator
from planish.data import Assertions, Program
from planish.errors import SandboxError, UnsupportedError
from planish.testing import ScriptedModel, check_sandbox
from planish_integrations.local import InSession, LocalSession

pytestmark = pytest.mark.anyio


async def test_variables_are_listed_in_short(session: LocalSession) -> None:
    await session.run(
        "import math\ntext = 'x' * 1000\nmany = list(range(100_000))\none = (1,)\n"
        "nested = {'a': [[[[1]]]]}\n_hidden = 1\ndef f(): pass"
    )
    found = {variable.name: variable for variable in await session.variables()}
    assert sorted(found) == ["f", "many", "nested", "one", "text"]
    assert (found["many"].type, found["many"].shape) == ("list", (100_000,))
    assert found["many"].preview == "[0, 1, 2, … 99997 more]"
    assert found["text"].preview == repr("x" * 100) + " … 900 more"
    assert found["one"].preview == "(1,)"
    assert len(found["nested"].preview) < 60


async def test_a_table_of_a_million_rows_is_shown_in_thirty() -> None:
    pytest.importorskip("pandas", reason="pandas is not installed")
    async with LocalSession() as session:
        made = await session.run(
            "import pandas as pd\ndf = pd.DataFrame({'a': range(1_000_000)})\ndf"
        )
        assert made.ok, made.stderr
        (variable,) = [v for v in await session.variables() if v.name == "df"]
        assert (variable.type, variable.shape) == ("DataFrame", (1_000_000, 1))
        assert variable.preview.endswith("… 999970 more rows")
        assert len(variable.preview) < 4000
        (shown,) = made.displays
        assert shown.main
        assert {"text/plain", "text/html"} <= set(shown.forms)
        assert (await session.run("print(len(df))")).stdout == b"1000000\n"


async def test_a_class_that_misbehaves_spoils_no_listing(session: LocalSession) -> None:
    await session.run(
        "class Bad:\n    def __repr__(self): raise RuntimeError\n"
        "    shape = property(lambda s: 1/0)\n"
        "bad, good = Bad(), 1"
    )
    found = {variable.name: variable.preview for variable in await session.variables()}
    assert found["good"] == "1"
    assert "its repr raised RuntimeError" in found["bad"]


async def test_what_is_shown_comes_apart_from_what_is_printed(session: LocalSession) -> None:
    done = await session.run(
        "class Picture:\n"
        "    def _repr_png_(self): return bytes(range(256))\n"
        "    def _repr_html_(self): return '<b>é</b>'\n"
        "display(Picture())\nprint('printed')\n'last'"
    )
    assert done.stdout == b"printed\n"
    picture, last = done.displays
    assert picture.forms["image/png"] == bytes(range(256))
    assert picture.forms["text/html"] == "<b>é</b>".encode()
    assert (picture.main, last.main, last.text) == (False, True, "'last'")


async def test_a_snapshot_brings_back_variables_and_files(session: LocalSession) -> None:
    await session.run("x = [1]")
    await session.write({"a/b.txt": b"before", "gone.txt": b"here"})
    before = await session.snapshot()
    await session.run(
        "x.append(2)\ny = 1\nimport os\nos.remove('gone.txt')\n"
        "open('a/b.txt', 'w').write('after')\nopen('new', 'w').write('n')"
    )
    for _ in range(2):  # as often as you like
        await session.restore(before)
        assert [v.preview for v in await session.variables() if v.name != "os"] == ["[1]"]
        assert await session.files() == {"a/b.txt": 6, "gone.txt": 4}
        assert await session.read("a/b.txt") == b"before"
        await session.run("x.append(3)")
    await session.drop(before)
    with pytest.raises(SandboxError, match="restore"):
        await session.restore(before)


async def test_a_snapshot_is_worth_nothing_elsewhere(session: LocalSession) -> None:
    async with LocalSession() as other:
        snapshot = await other.snapshot()
        with pytest.raises(UnsupportedError, match="only in the session"):
            await session.restore(snapshot)


async def test_files_lead_nowhere_else(session: LocalSession) -> None:
    with pytest.raises(UnsupportedError):
        await session.write({"../x": b""})
    await session.run("import os\nos.symlink('/etc/passwd', 'link')")
    assert await session.read("link") is None
    assert await session.read("absent") is None


async def test_a_program_beside_the_session_sees_it_and_leaves_nothing() -> None:
    async with LocalSession(files={"data.txt": b"data"}) as session:
        await session.run("rows = [1, 2]")
        source = (
            b"rows.append(3); print(rows, open('data.txt').read()); open('data.txt', 'w'); z = 1"
        )
        program = Program(main="main.py", files={"main.py": source})
        beside = InSession(session)
        for _ in range(2):
            assert (await beside.run(program)).stdout == b"[1, 2, 3] data\n"
        assert [v.name for v in await session.variables()] == ["rows"]
        assert await session.read("data.txt") == b"data"


async def test_an_error_that_nothing_can_handle_any_more_is_printed(session: LocalSession) -> None:
    source = b"import threading\nthreading._register_atexit(lambda: 1 / 0)\nprint('done')"
    done = await InSession(session).run(Program(main="main.py", files={"main.py": source}))
    assert (done.stdout, done.exit_code) == (b"done\n", 0)  # as Python ends
    assert done.stderr.startswith(b"Exception ignored in: <module 'threading'")
    assert done.stderr.endswith(b"ZeroDivisionError: division by zero\n")


async def test_a_loop_works_on_what_a_session_holds() -> None:
    task = Task("Sum the rows.", entry_point="total", tests=Assertions("assert total() == 6"))
    wrong, right = (
        "def total():\n    rows.clear()\n    return 0",
        "def total():\n    return sum(rows)",
    )
    async with LocalSession() as session:
        await session.run("rows = [1, 2, 3]")
        model = ScriptedModel([f"```python\n{code}\n```" for code in (wrong, right)])
        attempt = CodeGenerator(model) >> CodeExecution(InSession(session)) >> Validator()
        report = await Retry(attempt, attempts=2).run(task)
    assert report.trajectory == (0.0, 1.0)


async def test_branches_at_once_do_not_meet() -> None:
    task = Task("Count.", entry_point="f", tests=Assertions("assert f() == 1"))
    code = "seen.append(1)\nopen('mark', 'a').write('x')\ndef f():\n    return len(seen)"
    async with LocalSession() as session:
        await session.run("seen = []")
        execute = CodeExecution(InSession(session))
        async with anyio.create_task_group() as tasks:

            async def one() -> None:
                execution = await execute.run(Candidate(task=task, code=code))
                assert execution.status == "success", execution.failure

            for _ in range(4):
                tasks.start_soon(one)
        assert await session.files() == {}


async def test_beside_a_session_the_contract_of_sandboxes_holds() -> None:
    async with LocalSession() as session:
        passed = await check_sandbox(InSession(session), promptly=20)
    assert len(passed) == 29
