"""What code displays in a session is in its execution, apart from what it prints."""

import base64

import pytest

from planish import Candidate, CodeExecution, Execution, Task
from planish.data import Program, PytestFile, ResourceLimits, Status
from planish.data.tests import Tests
from planish.guest.session.displays import Displays, genuine, read_displays
from planish_integrations.local import InSession, LocalSession

pytestmark = pytest.mark.anyio

TABLE = """
class Table:
    def __repr__(self):
        return "a table"
    def _repr_html_(self):
        return "<table>"
"""
SHOWS = f"""{TABLE}
print("printed", end="")
display(Table(), rows)

def f():
    display("in a test")
    return len(rows)

sum(rows)
"""
KINDS: dict[str, Tests | str | None] = {
    "nothing": None,
    "asserts": "assert f() == 3",
    "pytest": PytestFile("from solution import f\n\ndef test_it():\n    assert f() == 3\n"),
}


async def run(session: LocalSession, code: str, tests: Tests | str | None = None) -> Execution:
    execute = CodeExecution(InSession(session), limits=ResourceLimits(seconds=1))
    return await execute.run(Candidate(task=Task("Show it.", tests=tests), code=code))


def shown(execution: Execution) -> list[tuple[str, bool]]:
    return [(one.text, one.main) for one in execution.displays]


@pytest.mark.parametrize("kind", KINDS)
async def test_each_goes_to_its_own_place(session: LocalSession, kind: str) -> None:
    await session.run("rows = [1, 2, 3]")
    execution = await run(session, SHOWS, KINDS[kind])
    assert execution.status is Status.SUCCESS, (execution.failure, execution.stderr)
    if kind != "pytest":
        assert execution.stdout == "printed"
    assert execution.displays[0].forms["text/html"] == b"<table>"
    # A module that tests import has no last expression that anybody would see.
    last = [] if kind == "pytest" else [("6", True)]
    tested = [("'in a test'", False)] if kind != "nothing" else []
    assert shown(execution) == [("a table", False), ("[1, 2, 3]", False), *last, *tested]
    step = await session.run("1 + 1")
    assert [one.text for one in step.displays] == ["2"], "it left nothing in the session"


async def test_it_is_the_same_as_that_of_a_step(session: LocalSession) -> None:
    await session.run("rows = [1, 2, 3]")
    beside = await run(session, SHOWS)
    step = await session.run(SHOWS)
    assert beside.displays == step.displays
    assert beside.stdout == step.stdout.decode() == "printed"


@pytest.mark.parametrize(
    ("end", "status"),
    [("1 / 0", Status.RUNTIME_ERROR), ("while True: pass", Status.TIMEOUT)],
)
async def test_what_was_shown_before_a_failure_is_known(
    session: LocalSession, end: str, status: Status
) -> None:
    execution = await run(session, f"display('before')\n{end}")
    assert (execution.status, shown(execution)) == (status, [("'before'", False)])


async def test_the_value_of_a_last_call_is_shown_once_and_none_is_not(
    session: LocalSession,
) -> None:
    code = "def f():\n    print('called')\n    return {}\n\nf()"
    execution = await run(session, code.format(7))
    assert (execution.stdout, shown(execution)) == ("called\n", [("7", True)])
    execution = await run(session, code.format(None))
    assert (execution.stdout, shown(execution)) == ("called\n", [])


async def test_a_failed_last_expression_is_at_its_line(session: LocalSession) -> None:
    execution = await run(session, "x = 0\n\n1 / x")
    assert execution.failure is not None
    assert (execution.failure.name, execution.failure.line) == ("ZeroDivisionError", 3)


async def test_a_program_shows_too(session: LocalSession) -> None:
    beside = InSession(session)
    program = Program(main="main.py", files={"main.py": b"display(5)\nprint(6)"})
    completed = await beside.run(program)
    assert [one.text for one in completed.displays] == ["5"]
    assert completed.stdout == b"6\n"


async def test_all_that_a_program_shows_is_bounded(session: LocalSession) -> None:
    many = "import os\nfor n in range(1200):\n    display(n)\n    os.fork() if n == 1100 else 0"
    execution = await run(session, many)
    assert len(execution.displays) == 1000
    big = "class Big:\n    def _repr_html_(self):\n        return 'x' * (7 << 20)\n"
    execution = await run(session, f"{big}for _ in range(9): display(Big())")
    assert len(execution.displays) == 9
    size = sum(len(form) for one in execution.displays for form in one.forms.values())
    assert 7 << 20 <= size <= 32 << 20


ROGUE = """
import glob
for name in glob.glob("../*.displays"):
    with open(name, "ab") as file:
        file.write(b'not json\\n[]\\n{"forms": {"text/plain": "*"}}\\n{"forms": 5}\\n')
        file.write(b'{"forms": {"text/plain": "aGk="}, "main": 3}\\n' + b"[" * 100000 + b"\\n")
display("well")
"""


async def test_what_a_program_writes_itself_cannot_end_the_session(session: LocalSession) -> None:
    execution = await run(session, ROGUE)
    assert shown(execution)[-1] == ("'well'", False)
    assert all(text in ("hi", "'well'") for text, _ in shown(execution))
    gone = "import glob, os\nfor n in glob.glob('../*.displays'): os.unlink(n)\ndisplay('lost')"
    assert shown(await run(session, gone)) in ([], [("'lost'", False)])
    assert (await session.run("2")).displays[0].text == "2"


def test_only_things_are_taken() -> None:
    fine = {"forms": {"text/plain": base64.b64encode(b"a").decode()}, "main": True}
    odd: list[object] = [None, {}, {"forms": []}, {"forms": {"a": "?"}}, {"forms": {"a": None}}]
    assert genuine([fine, *odd, fine]) == [fine, fine]
    assert genuine({"forms": {}}) == genuine(None) == read_displays(b"\xff\n") == []
    assert genuine([fine] * 2000) == [fine] * 1000
    forms = {"a": "A" * (8 << 20), "b": "A" * (8 << 20), "c": "A" * (12 << 20)}
    assert [sorted(one["forms"]) for one in genuine([{"forms": forms}] * 3)] == [["a", "b"]] * 2


def test_displays_of_a_file_are_not_kept_in_memory(tmp_path: object) -> None:
    file = f"{tmp_path}/shown"
    open(file, "w").close()  # noqa: PTH123
    displays = Displays()
    displays.write_to(file)
    displays.last("x")
    displays.last(None)
    with open(file, "rb") as written:  # noqa: PTH123
        (thing,) = read_displays(written.read())
    assert thing["main"] is True
    displays.write_to(f"{tmp_path}/none")
    displays.display("nobody sees it")
