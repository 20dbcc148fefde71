"""Files of problems are read as they are published, and bad ones are called by their fault."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.integrations.evaluation.small import ADD, HUMANEVAL, Rows

from planish.data import Assertions
from planish_integrations.evaluation import DatasetError, load_problems

Write = Callable[[str, Rows], Path]


@pytest.mark.parametrize("name", ["t.jsonl", "t.jsonl.gz"])
def test_humaneval_is_read_plain_and_gzipped(write: Write, name: str) -> None:
    (problem,) = load_problems(write(name, [HUMANEVAL])).problems
    assert problem.key == "HumanEval/0"
    assert problem.preamble == "import math\n\n\n"
    assert str(problem.tests).endswith("\ncheck(half)\n")
    assert problem.canonical_solution == HUMANEVAL["prompt"] + "    return n // 2\n"


def test_the_examples_of_a_docstring_are_its_visible_tests(write: Write) -> None:
    (problem,) = load_problems(write("t.jsonl", [HUMANEVAL])).problems
    assert problem.visible_tests == ("assert half(4) == 2",)


def test_what_stands_above_the_function_is_its_preamble_decorators_are_not(write: Write) -> None:
    prompt = "from functools import cache\nONE = 1\n\n@cache\ndef half(n):\n    '''?'''\n"
    (problem,) = load_problems(write("t.jsonl", [{**HUMANEVAL, "prompt": prompt}])).problems
    assert problem.preamble == "from functools import cache\nONE = 1\n\n"


@pytest.mark.parametrize("prompt", ["def half(n):\n", "x = 1\n", 'def half(n):\n    """>>> :"""\n'])
def test_a_prompt_that_is_no_program_is_still_a_problem(write: Write, prompt: str) -> None:
    (problem,) = load_problems(write("t.jsonl", [{**HUMANEVAL, "prompt": prompt}])).problems
    assert (problem.preamble, problem.visible_tests) == ("", ())


def test_a_task_file_says_everything_itself(write: Write) -> None:
    (problem,) = load_problems(write("t.jsonl.gz", [ADD])).problems
    assert problem.counts == {"test_suffix": 1}
    task = problem.task()
    assert (task.id, task.entry_point, task.preamble) == ("Small/add", "add", "import math\n")
    assert task.tests == Assertions(ADD["test_suffix"], run_as="script")
    assert problem.visible_task().tests == Assertions("assert add(1, 1) == 2", run_as="script")


def test_problems_of_two_benchmarks_have_different_keys(write: Write) -> None:
    rows = [{**ADD, "bench": bench, "task_id": "7"} for bench in ("one", "two")]
    problems = load_problems(write("t.jsonl", rows)).problems
    assert [problem.key for problem in problems] == ["one:7", "two:7"]


def test_lines_that_hold_no_task_are_told(tmp_path: Path, write: Write) -> None:
    good = write("t.jsonl", [ADD]).read_text()
    (tmp_path / "t.jsonl").write_text(
        f'{good}\n[1]\n{{"task_id": "x"}}\n{{"prompt": 1, "prompt": 2}}\n{{"cut'
    )
    loaded = load_problems(tmp_path / "t.jsonl")
    assert len(loaded.problems) == 1
    assert [(skip.line, skip.reason) for skip in loaded.skips] == [
        (3, "is not a JSON object"),
        (4, "is not a task: it lacks a prompt, an id or tests"),
        (5, "is not JSON: the name 'prompt' stands twice in one object"),
        (6, "is not JSON"),
    ]


DAMAGED = gzip.compress(b'{"task_id": 1}\n' * 100, mtime=0)


@pytest.mark.parametrize(
    ("name", "content", "fault"),
    [
        ("t.jsonl", b"", "the file is empty"),
        ("t.jsonl", b"hello\n", "not JSONL: line 1 is not JSON"),
        ("t.jsonl", b"[1, 2]\n", "not JSONL: line 1 is not a JSON object"),
        ("t.jsonl", b"[" * 100_000, "not JSONL: line 1 is not JSON"),
        ("t.jsonl", b"\xff\xfe{\x00", "not UTF-8"),
        ("t.jsonl.gz", b'{"a": 1}\n', "the name ends in .gz, but the content is not gzip"),
        ("t.jsonl.gz", DAMAGED[:-10], "the gzip file is damaged"),
        ("t.jsonl.gz", DAMAGED[:12] + b"\x00\x00\x00" + DAMAGED[15:], "the gzip file is damaged"),
        ("t.jsonl", b'{"a": 1, "b": 2}\n', "its rows have a, b"),
    ],
)
def test_a_file_that_is_none_says_why(
    tmp_path: Path, name: str, content: bytes, fault: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DatasetError, match=fault):
        load_problems(tmp_path / name)


def test_a_missing_file_and_a_directory_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="there is no such file"):
        load_problems(tmp_path / "none.jsonl")
    with pytest.raises(DatasetError, match="Is a directory"):
        load_problems(tmp_path)


def test_gzip_is_known_by_its_content_and_a_line_by_its_newline(tmp_path: Path) -> None:
    row = '{"task_id": "a", "prompt": "\u2028", "entry_point": "f", "test": "x"}\r\n'
    (tmp_path / "t.jsonl").write_bytes(gzip.compress(b"\xef\xbb\xbf" + row.encode()))
    (problem,) = load_problems(tmp_path / "t.jsonl").problems
    assert problem.prompt == "\u2028"


@pytest.mark.parametrize(
    ("field", "value", "kind"),
    [
        ("visible_tests", "assert add(1, 1) == 2", "a list of texts"),
        ("visible_tests", ["assert add(1, 1) == 2", 3], "a list of texts"),
        ("entry_point", 3, "a text"),
        ("prompt", ["def add(a, b):"], "a text"),
    ],
)
def test_a_row_of_a_task_file_with_a_field_of_another_kind_is_skipped(
    write: Write, field: str, value: object, kind: str
) -> None:
    """Without its visible tests, a model would be measured by another gate."""
    loaded = load_problems(write("t.jsonl", [ADD, {**ADD, field: value}, {**ADD, field: None}]))
    assert len(loaded.problems) == 2
    (skip,) = loaded.skips
    assert skip.reason == f"its {field!r} is not {kind}"


def test_tests_of_another_kind_are_named_as_the_reason(write: Write) -> None:
    row = {**ADD, "test_suffix": ["assert add(1, 1) == 2"]}
    with pytest.raises(DatasetError, match="its 'test_suffix' is not a text"):
        load_problems(write("t.jsonl", [row]))


def test_the_id_of_a_task_may_be_a_number(write: Write) -> None:
    (problem,) = load_problems(write("t.jsonl", [{**ADD, "task_id": 7}])).problems
    assert problem.task_id == "7"
