"""The programs and files that the sandbox gets."""

import marshal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from planish import CodeExecution
from planish.data.candidate import Candidate
from planish.data.execution import Execution
from planish.data.feedback import Feedback, PreviousAttempt
from planish.data.literal import to_source
from planish.data.program import Program, ResourceLimits
from planish.data.task import Task
from planish.data.tests import Case, PytestFile, Stdio, StdioPairs
from planish.verification import prepare
from planish.verification._bundle import loader, verifier_bundle
from planish.verification._plan import merge_preamble
from planish.verification._programs import PreparedPrograms
from planish_integrations.local import LocalSandbox

Run = Callable[..., Execution]
INSIDE = Path(__file__).parents[2] / "primitives" / "planish" / "guest" / "verifier"


def given(code: str, **task: Any) -> tuple[Program, ...]:
    return prepare(
        Candidate(task=Task("Do it.", **task), code=code),
        ResourceLimits(seconds=3),
        secret="5" * 32,
    ).programs


def test_the_candidate_is_a_file_of_its_own() -> None:
    (program,) = given("\ufeffx = 1\r\n", preamble="import math\n", tests="assert x == 1")
    assert program.files["solution.py"] == b"x = 1\r\n"
    assert program.files["preamble.py"] == b"import math\n"
    assert program.main in program.files
    assert (program.language, program.args, program.stdin) == ("python", (), b"")
    assert program.limits == ResourceLimits(seconds=8)  # the verifier has some of its own
    assert program.results
    assert set(program.collect).isdisjoint(program.files)


@pytest.mark.parametrize(
    ("task", "seconds"),
    [
        ({}, 3),
        ({"tests": StdioPairs((Stdio("", ""),))}, 3),
        ({"tests": [Case(1, 1)], "entry_point": "f"}, 5),
        ({"tests": PytestFile("from solution import x\ndef test_x(): pass")}, 18),
    ],
)
def test_a_verifier_has_time_to_start_beside_the_candidates(
    task: dict[str, Any], seconds: float
) -> None:
    (program,) = given("x = 1", **task)
    assert program.limits == ResourceLimits(seconds=seconds)


def test_the_tests_are_in_the_plan_only() -> None:
    (program,) = given("x = 1", tests="assert x == 1234567")
    holding = [name for name, content in program.files.items() if b"1234567" in content]
    assert holding == ["plan.bin"]
    secret, _, facts = program.files["plan.bin"].partition(b"\n")
    assert secret == b"5" * 32
    plan = marshal.loads(facts)  # noqa: S302  # made here
    assert b"5" * 32 not in facts
    assert plan["tests"] == "assert x == 1234567"


def test_the_plan_is_gone_before_the_candidate_runs(run: Run) -> None:
    code = "import os\nnames = os.listdir()\n"
    assert run(code, tests="assert 'plan.bin' not in names").failure is None


@pytest.mark.parametrize(
    "text",
    ["\"'\\\n\r\t\x00\x07\x7f", "\u2028\u2029\x85", "é\U0001f600", "\ud800", "true null {}"],
)
def test_any_text_gets_through_the_plan(run: Run, text: str) -> None:
    result = run("def f(x):\n    return x\n", tests=[Case(text, text, name=text)], entry_point="f")
    assert [test.status for test in result.tests] == ["passed"]


def test_each_pair_is_a_program() -> None:
    pairs = StdioPairs((Stdio("a\n", "b"), Stdio("é", "")))
    assert [p.stdin for p in given("", tests=pairs)] == [b"a\n", "é".encode()]


def test_text_that_utf_8_lacks_reaches_a_program_as_question_marks() -> None:
    pairs = StdioPairs((Stdio("a\ud800b", ""),))
    assert [program.stdin for program in given("", tests=pairs)] == [b"a?b"]
    (other,) = given("echo '\ud800'", language="bash")
    assert other.files == {"main.sh": b"echo '?'"}


# Compilers and interpreters choose what to do by the extension.
EXTENSIONS = """
bash sh, sh sh, javascript js, typescript ts, ruby rb, perl pl, julia jl, go go, rust rs, kotlin kt,
c c, cpp cpp, csharp cs, zig zig
"""


@pytest.mark.parametrize(("language", "extension"), [one.split() for one in EXTENSIONS.split(",")])
def test_other_languages_get_the_code_alone(language: str, extension: str) -> None:
    main = f"main.{extension}"
    (program,) = given("code", language=language, preamble="before\n\n")
    assert program.language == language
    assert program.main == main
    assert program.files == {main: b"before\ncode"}
    assert program.collect == ()


@pytest.mark.parametrize(
    ("preamble", "code", "whole", "offset"),
    [
        ("", "x = 1", "x = 1", 0),
        ("import a\n\n", "x = 1", "import a\nx = 1", 1),
        ("import a", "x = 1", "import a\nx = 1", 1),
        (
            '"""Doc."""\nfrom __future__ import annotations\nimport a',
            "x = 1",
            'from __future__ import annotations\n"""Doc."""\npass\nimport a\nx = 1',
            4,
        ),
        (
            "import a",
            '"é"; from __future__ import (\n  annotations,\n  division); x = 1\ny = 2',
            (
                "from __future__ import annotations\nfrom __future__ import division\nimport a\n"
                '"é"; pass; x = 1\n\n\ny = 2'
            ),
            3,
        ),
        ("import a", "def f(:", "import a\ndef f(:", 1),
    ],
)
def test_future_imports_are_moved_to_the_top(
    preamble: str, code: str, whole: str, offset: int
) -> None:
    assert merge_preamble(preamble, code) == (whole, offset)
    assert whole.split("\n")[offset:][-1] == code.rsplit("\n", maxsplit=1)[-1]


def test_a_pytest_file_gets_its_own_configuration() -> None:
    tests = PytestFile("from a.b import x\ndef test_x(): pass", module="a.b")
    (program,) = given("x = 1", tests=tests, preamble="import c")
    assert program.files["a/b.py"] == b"import c\nx = 1"
    assert program.files["pytest.ini"] == b"[pytest]\n"
    assert "solution.py" not in program.files


def test_equal_programs_have_equal_digests_and_no_two_have_one_secret() -> None:
    def ready(code: str, seconds: float = 3, **task: Any) -> PreparedPrograms:
        candidate = Candidate(task=Task("Do it.", **task), code=code)
        return prepare(candidate, ResourceLimits(seconds=seconds))

    one, other = ({"a", "b", "c", "d"}, {"d", "c", "b", "a"})
    assert to_source(one) == to_source(other)
    first = ready("x", tests=[Case(1, one)], entry_point="x")
    second = ready("x", tests=[Case(1, other)], entry_point="x")
    assert first.digest == second.digest
    assert first.secret != second.secret
    different = (
        ready("y", tests=[Case(1, one)], entry_point="x"),
        ready("x", tests=[Case(2, one)], entry_point="x"),
        ready("x", tests=[Case(1, one)], entry_point="y"),
        ready("x", tests=[Case(1, one)], entry_point="x", preamble="z = 1"),
        ready("x", seconds=4, tests=[Case(1, one)], entry_point="x"),
    )
    assert len({first.digest, *(one.digest for one in different)}) == len(different) + 1


def test_a_python_that_is_not_the_hosts_compiles_the_verifier_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    verifier_bundle.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(sys, "version", "3.99 of another make")
        (program,) = given("print('ran', __name__)")
    verifier_bundle.cache_clear()
    for name, content in program.files.items():
        (tmp_path / name).write_bytes(content)
    child = subprocess.run(
        [sys.executable, "-I", program.main], cwd=tmp_path, capture_output=True, check=True
    )
    assert child.stdout == b"ran __main__\n"
    assert b'"kind": "end"' in (tmp_path / "_planish.jsonl").read_bytes()


def test_the_bundles_hold_every_module() -> None:
    (program,) = given("", tests="assert 1")
    assert loader("checks") == program.files[program.main]
    bundled = verifier_bundle()
    for file in INSIDE.glob("*.py"):
        if file.stem not in ("__init__", "checker", "main", "program"):  # not in it as code
            assert f"<planish>/{file.name}".encode() in bundled


def test_the_verifier_imports_next_to_nothing(tmp_path: Path) -> None:
    code = "import sys\nbefore = set(sys.modules)\n"
    (program,) = given(
        code + "def square(n): return n * n\n",
        tests="def check(f):\n    assert f(2) == 4\n    assert f(3) == 9\ncheck(square)\n"
        "print(sorted(set(sys.modules)))",
    )
    for name, content in program.files.items():
        (tmp_path / name).write_bytes(content)
    command = [sys.executable, "-I", "-X", "importtime", program.main]
    child = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True, text=True)
    bare = subprocess.run([*command[:-1], "-c", ""], capture_output=True, check=True, text=True)

    def loaded(errors: str) -> set[str]:
        return {line.rpartition("|")[2].strip() for line in errors.splitlines()[1:]}

    assert loaded(child.stderr) - loaded(bare.stderr) <= {
        *("_ast", "_ctypes", "builtins", "faulthandler", "gc", "marshal", "select", "time"),
        *("_blake2", "_operator"),
    }


@pytest.mark.anyio
async def test_evidence_is_not_that_of_another_file_named_as_one_of_the_verifier() -> None:
    task = Task("Print 4.", tests=StdioPairs([("", "4")]), language="bash")

    def reply(content: str) -> Candidate:
        return Candidate(task=task, code="cat plan.bin", files={"plan.bin": content})

    digests = {prepare(reply(text), ResourceLimits()).digest for text in ("4", "5", "5")}
    assert len(digests) == 2
    execute = CodeExecution(LocalSandbox())
    right = await execute.run(reply("4"))
    attempt = PreviousAttempt(
        attempt=1, digest="", status=right.status, score=right.score, execution=right
    )
    again = replace(task, feedback=Feedback(previous_attempts=(attempt,)))
    assert (await execute.run(replace(reply("4"), task=again))).repeats == 1
    wrong = await execute.run(replace(reply("5"), task=again))
    assert wrong.repeats is None
    assert wrong.score == 0
