"""APPS, CodeContests and LiveCodeBench run as published: right solutions pass, wrong ones fail."""

import base64
import json
import pickle
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.integrations.evaluation.contests import FUNCTIONS, PROGRAMS, Function, Program, packed
from tests.integrations.evaluation.small import Rows

from planish import Candidate, CodeExecution, Validator
from planish.data import Cases, ResourceLimits, StdioPairs
from planish_integrations.evaluation import DatasetError, Problem, load_problems
from planish_integrations.local import LocalSandbox

Write = Callable[[str, Rows], Path]
Task = Program | Function


def apps(task: Task) -> dict[str, Any]:
    known: dict[str, Any]
    if isinstance(task, Program):
        known = {
            "inputs": [one for one, _ in task.pairs],
            "outputs": [other for _, other in task.pairs],
        }
    else:
        known = {
            "fn_name": task.name,
            "inputs": [arguments for arguments, _ in task.calls],
            "outputs": [[result] for _, result in task.calls],
        }
    return {
        "problem_id": task.name,
        "question": task.question,
        "solutions": json.dumps(
            ["def other(): pass", task.right] if known.get("fn_name") else [task.right]
        ),
        "input_output": json.dumps(known),
        "difficulty": "introductory",
        "url": "https://example.org",
        "starter_code": "",
    }


def codecontests(task: Program) -> dict[str, Any]:
    def group(pairs: Any) -> dict[str, list[str]]:
        return {"input": [one for one, _ in pairs], "output": [other for _, other in pairs]}

    return {
        "name": task.name,
        "description": task.question,
        "public_tests": group(task.pairs[:1]),
        "private_tests": group(task.pairs[1:2]),
        "generated_tests": group(task.pairs[2:]),
        "solutions": {"language": [2, 3], "solution": ["int main() {}", task.right]},
        "time_limit": {"seconds": 5, "nanos": 500_000_000},
        "input_file": "",
        "output_file": "",
    }


def livecodebench(task: Task) -> dict[str, Any]:
    if isinstance(task, Program):
        tests = [{"input": one, "output": other, "testtype": "stdin"} for one, other in task.pairs]
    else:
        tests = [
            {
                "input": "\n".join(map(json.dumps, arguments)),
                "output": json.dumps(result),
                "testtype": "functional",
            }
            for arguments, result in task.calls
        ]
    functional = isinstance(task, Function)
    return {
        "question_title": task.name,
        "question_content": task.question,
        "platform": "leetcode" if functional else "atcoder",
        "question_id": f"lcb_{task.name}",
        "starter_code": task.starter if isinstance(task, Function) else "",
        "difficulty": "easy",
        "public_test_cases": json.dumps(tests[:1]),
        "private_test_cases": packed(tests[1:]),
        "metadata": json.dumps({"func_name": task.name} if functional else {}),
    }


FORMATS: list[tuple[str, Callable[[Any], dict[str, Any]], tuple[Task, ...]]] = [
    ("APPS", apps, PROGRAMS),
    ("APPS", apps, FUNCTIONS),
    ("CodeContests", codecontests, PROGRAMS),
    ("LiveCodeBench", livecodebench, PROGRAMS),
    ("LiveCodeBench", livecodebench, FUNCTIONS),
]
IDS = ["apps-programs", "apps-functions", "codecontests", "lcb-programs", "lcb-functions"]


async def passed(problem: Problem, code: str) -> bool:
    sandbox = LocalSandbox()
    judge = CodeExecution(sandbox, limits=ResourceLimits(seconds=20)) >> Validator()
    return (await judge.run(Candidate(task=problem.task(), code=code))).passed


@pytest.mark.anyio
@pytest.mark.parametrize(("bench", "row", "tasks"), FORMATS, ids=IDS)
async def test_right_solutions_pass_and_wrong_ones_fail(
    write: Write, bench: str, row: Callable[[Any], dict[str, Any]], tasks: tuple[Task, ...]
) -> None:
    loaded = load_problems(write("t.jsonl", [row(task) for task in tasks]))
    assert loaded.skips == ()
    assert len(loaded.problems) == len(tasks) == 10
    for task, problem in zip(tasks, loaded.problems, strict=True):
        assert problem.bench == bench
        assert sum(problem.counts.values()) == 3
        method = isinstance(task, Function) and bench == "LiveCodeBench"
        right = task.method if isinstance(task, Function) and method else task.right
        wrong = task.wrong_method if isinstance(task, Function) and method else task.wrong
        assert await passed(problem, right), task.name
        assert not await passed(problem, wrong), task.name


def test_what_each_format_says_is_kept(write: Write) -> None:
    rows = [apps(PROGRAMS[0]), codecontests(PROGRAMS[0]), livecodebench(FUNCTIONS[0])]
    one, two, three = load_problems(write("t.jsonl", rows)).problems
    assert one.key == "APPS:sum"
    assert one.canonical_solution == PROGRAMS[0].right
    assert "reads standard input" in one.prompt
    assert isinstance(two.tests, StdioPairs)
    assert (two.tests.seconds_each, len(two.tests.pairs)) == (5.5, 3)
    assert isinstance(two.visible_tests, StdioPairs)
    assert len(two.visible_tests.pairs) == 1
    assert two.counts == {"public_tests": 1, "private_tests": 1, "generated_tests": 1}
    assert isinstance(three.tests, Cases)
    assert three.entry_point == "Solution().twoSum"
    assert three.task().required_name == "Solution"
    assert "class Solution" in three.prompt
    assert three.counts == {"public_test_cases": 1, "private_test_cases": 2}


@pytest.mark.anyio
async def test_what_the_published_judges_import_need_not_be_imported(write: Write) -> None:
    two_sum = (
        "class Solution:\n    def twoSum(self, nums: List[int], target: int) -> Tuple[int, int]:\n"
        "        seen = defaultdict(int, ((n, i) for i, n in enumerate(nums)))\n"
        "        pairs = itertools.combinations(range(len(nums)), 2)\n"
        "        return next(p for p in pairs if sum(nums[i] for i in p) == target)\n"
    )
    numbers = "heap = [int(x) for x in stdin.read().split()]\nheapify(heap)\nprint(sum(heap))\n"
    rows = [livecodebench(FUNCTIONS[0]), livecodebench(PROGRAMS[0]), apps(PROGRAMS[0])]
    called, *read = load_problems(write("t.jsonl", rows)).problems
    assert await passed(called, two_sum)
    for problem in read:
        assert await passed(problem, numbers)


class Harmful:
    def __reduce__(self) -> tuple[Any, ...]:
        return (open, ("loaded.txt", "w"))


def pickled(value: Any) -> str:
    return base64.b64encode(zlib.compress(pickle.dumps(value))).decode()


def without(row: Mapping[str, Any], field: str) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key != field}


APPS, CONTEST, LCB = apps(PROGRAMS[0]), codecontests(PROGRAMS[0]), livecodebench(PROGRAMS[0])
CALLS = livecodebench(FUNCTIONS[0])
TEST = {"input": "1", "output": "1", "testtype": "functional"}
REFUSED: list[tuple[Mapping[str, Any], str]] = [
    ({**APPS, "input_output": ""}, "has no tests: its input_output is empty"),
    ({**APPS, "input_output": "{"}, "its input_output is not JSON"),
    ({**APPS, "input_output": '{"inputs": []}'}, "has no list of outputs"),
    ({**APPS, "input_output": '{"inputs": ["1"], "outputs": []}'}, "has 1 inputs and 0 outputs"),
    ({**APPS, "input_output": '{"inputs": [], "outputs": []}'}, "has no tests"),
    ({**APPS, "input_output": '{"inputs": [1], "outputs": [2]}'}, "values other than texts"),
    (
        {**APPS, "input_output": '{"fn_name": "f", "inputs": [1], "outputs": [2]}'},
        "values other than lists of arguments",
    ),
    ({**CONTEST, "input_file": "in.txt"}, "programs that use files are not supported"),
    (without(CONTEST, "generated_tests"), "only part of its tests would be run"),
    ({**CONTEST, "private_tests": None}, "is neither an object nor a list"),
    ({**CONTEST, "private_tests": {"input": ["1"], "output": []}}, "has 1 inputs and 0 outputs"),
    (without(LCB, "private_test_cases"), "only part of its tests would be run"),
    ({**LCB, "public_test_cases": "[]", "private_test_cases": "[]"}, "has no tests"),
    ({**LCB, "private_test_cases": "!"}, "is neither JSON nor packed"),
    ({**LCB, "private_test_cases": pickled(Harmful())}, "open, which is not data: not loaded"),
    ({**LCB, "private_test_cases": pickled("no JSON")}, "cannot be unpacked"),
    ({**LCB, "public_test_cases": "[{}]"}, "a test without input and output"),
    ({**LCB, "public_test_cases": 5}, "its public_test_cases is not a list of tests"),
    ({**LCB, "private_test_cases": pickled({"a": 1})}, "is not a list of tests"),
    ({**CALLS, "public_test_cases": [{**TEST, "input": "{"}]}, "of a test is not JSON"),
    ({**CALLS, "public_test_cases": [{**TEST, "output": "{"}]}, "of a test is not JSON"),
    ({**CALLS, "metadata": "{"}, "its metadata is not JSON"),
    ({**CALLS, "metadata": {"func_name": "f()"}}, "no func_name"),
    ({**CALLS, "metadata": "{}"}, "no func_name"),
    ({**CALLS, "private_test_cases": LCB["private_test_cases"]}, "which is unknown"),
]


@pytest.mark.parametrize(("row", "reason"), REFUSED)
def test_what_cannot_be_run_whole_is_refused(
    write: Write,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    row: Mapping[str, Any],
    reason: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DatasetError, match=f"no task can be run as published: .*{reason}"):
        load_problems(write("t.jsonl", [row]))
    assert not (tmp_path / "loaded.txt").exists()
    loaded = load_problems(write("t.jsonl", [row, APPS]))
    assert len(loaded.problems) == 1
    assert [skip.line for skip in loaded.skips] == [1]
    assert reason in loaded.skips[0].reason


def test_private_tests_may_be_plain_json_too(write: Write) -> None:
    tests = [{"input": "1", "output": "1", "testtype": "stdin"}]
    row = {**LCB, "private_test_cases": json.dumps(tests)}
    (problem,) = load_problems(write("t.jsonl", [row])).problems
    assert problem.counts == {"public_test_cases": 1, "private_test_cases": 1}


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("inputs", "outputs", "code", "right"),
    [
        ([[{"1": 2}]], [[{"3": 4}]], "def f(d): return {k + 2: v + 2 for k, v in d.items()}", True),
        ([[1], [2]], [[1], [2]], "def f(n): return n", True),
        ([[1], [2]], [[1], [2]], "def f(n): return [n]", True),
        ([[1], [2]], [[1], [2]], "def f(n): return (n,)", True),
        ([[1], [2]], [[1], [2]], "def f(n): return [[n]]", False),
        ([[1], [2]], [[[1, 2]], [[2, 3]]], "def f(n): return (n, n + 1)", True),
        ([[1], [2]], [True, False], "def f(n): return n == 1", True),
        ([["a"]], [["a", "b"]], "def f(x): return [x]", False),
    ],
)
async def test_results_in_a_list_of_one_are_taken_either_way(
    write: Write,
    inputs: Any,
    outputs: Any,
    code: str,
    right: bool,  # noqa: FBT001
) -> None:
    known = {"fn_name": "f", "inputs": inputs, "outputs": outputs}
    row = {**APPS, "input_output": json.dumps(known)}
    (problem,) = load_problems(write("t.jsonl", [row])).problems
    assert await passed(problem, code) == right
