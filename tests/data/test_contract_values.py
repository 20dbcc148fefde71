"""Single values, folders and arguments of a contract: in as values, out as values."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from planish import Task
from planish.data import AnyFile, Contract, CsvFile, FileFormat, Folder, ValueFile
from planish.errors import TaskError
from planish.prompts import default_prompt

VALUES: list[tuple[str, Any, str]] = [
    # type, value, another text of it
    ("str", " a\n", " a\n"),
    ("int", -3, "-3\n"),
    ("float", 0.5, " 5e-1 "),
    ("bool", True, "true\n"),
    ("bool", False, "0"),
    ("date", date(2026, 1, 31), "2026-01-31"),
    ("datetime", datetime(2026, 1, 31, 12, 30, tzinfo=UTC), "2026-01-31 12:30:00Z"),
    ("timedelta", timedelta(days=1, hours=2, seconds=0.25), "P1DT2H0.25S"),
    ("timedelta", -timedelta(hours=1), "-PT1H"),
    ("timedelta", timedelta(weeks=2), "P2W"),
    ("timedelta", timedelta(0), "PT0S"),
]
FOLDER = {"a.csv": b"x\n1\n", "sub/b.csv": b"x\n2\n"}


@pytest.mark.parametrize(("type_", "value", "other"), VALUES)
def test_a_value_goes_into_a_file_and_comes_out(type_: str, value: Any, other: str) -> None:
    one = ValueFile(type=type_)
    task = Task("Do it.", files={"x": value}, contract=Contract(inputs={"x": one}))
    for content in (task.files["x"], other.encode()):
        read = Contract(outputs={"x": one}).read({"x": content})["x"]
        assert (read, type(read)) == (value, type(value))


def test_a_value_of_another_type_is_an_error() -> None:
    contract = Contract(inputs={"rate": ValueFile(type="int")})
    with pytest.raises(TaskError, match=r"'rate' has '0.5', not one int, against the contract"):
        Task("Do it.", files={"rate": 0.5}, contract=contract)
    wrong: Any = {"rate": [1]}
    with pytest.raises(TaskError, match="a number, a date or time, or a Path, not list"):
        Task("Do it.", files=wrong)


def test_a_folder_of_this_machine_is_an_input(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    for path, content in FOLDER.items():
        (tmp_path / path).write_bytes(content)
    contract = Contract(inputs={"rows": Folder(of=CsvFile(columns={"x": "int"}), least=2)})
    task = Task("Do it.", files={"rows": tmp_path, "n": 5}, contract=contract)
    assert task.files == {"n": b"5", "rows/a.csv": b"x\n1\n", "rows/sub/b.csv": b"x\n2\n"}
    with pytest.raises(TaskError, match="given twice"):
        Task("Do it.", files={"rows": tmp_path, "rows/a.csv": ""})
    (tmp_path / "link").symlink_to(tmp_path / "a.csv")
    with pytest.raises(TaskError, match="'rows/link' is a link"):
        Task("Do it.", files={"rows": tmp_path})


FOLDER_FAULTS: list[tuple[dict[str, bytes], str | None]] = [
    ({f"rows/{path}": content for path, content in FOLDER.items()}, None),
    ({}, "is missing"),
    ({"rows.csv": b"x\n1\n", "row/s": b"x"}, "is missing"),
    ({"rows": b"x"}, "is a file, not a folder"),
    ({"rows/a.csv": b"x\n1\n"}, "has 1 files, not 2"),
    (
        {"rows/a.csv": b"x\n1\n", "rows/b.csv": b"x\ny\n"},
        "has the file 'b.csv', which has 'y' in row 1, column 'x', not int",
    ),
]


@pytest.mark.parametrize(("artifacts", "fault"), FOLDER_FAULTS)
def test_what_a_folder_must_have(artifacts: dict[str, bytes], fault: str | None) -> None:
    contract = Contract(outputs={"rows": Folder(of=CsvFile(columns={"x": "int"}), least=2)})
    assert contract.output_faults(artifacts) == ({} if fault is None else {"rows": fault})
    if fault is None:
        assert contract.read(artifacts) == {"rows": FOLDER}
    else:
        with pytest.raises(ValueError, match="out/rows "):
            contract.read(artifacts)


def test_a_folder_in_place_of_a_file_is_named() -> None:
    faults = Contract(outputs={"x": AnyFile()}).output_faults({"x/y": b"1"})
    assert faults == {"x": "is a folder, not a file"}


def test_optional_outputs_may_be_missing() -> None:
    outputs: dict[str, FileFormat | Folder] = {
        "rows": Folder(optional=True),
        "n": ValueFile(type="int", optional=True),
    }
    assert Contract(outputs=outputs).read({}) == {"rows": {}}


ARGUMENTS = Contract(
    inputs={
        "data/x.csv": CsvFile(),
        "rows": Folder(),
        "rate": ValueFile(type="float"),
        "name": ValueFile(type="str", optional=True),
    },
    arguments={"table": "data/x.csv", "rows": "rows", "rate": "rate", "name": "name"},
)
INPUTS: dict[str, Any] = {"data/x.csv": "x\n1\n", "rows/a": "a", "rate": 0.5}


def test_arguments_are_values_and_paths() -> None:
    task = Task("Do it.", files={**INPUTS, "name": "-a b"}, contract=ARGUMENTS)
    words = ("--table", "data/x.csv", "--rows", "rows", "--rate", "0.5")
    assert ARGUMENTS.argument_texts(task.files) == (*words, "--name=-a b")
    assert ARGUMENTS.argument_texts(Task("Do it.", files=INPUTS).files) == words
    text = default_prompt(task)[1].content
    assert "--table data/x.csv --rows rows --rate 0.5 '--name=-a b'" in text
    assert "- `--table`: the path of a file: CSV with names in its first row\n" in text
    assert "- `--rate`: one float as text\n" in text


@pytest.mark.parametrize(("name", "words"), [("a\0", "is not text"), ("a" * 100_001, "100,000")])
def test_a_text_that_no_argument_can_be_is_an_error(name: str, words: str) -> None:
    with pytest.raises(TaskError, match=words):
        Task("Do it.", files={**INPUTS, "name": name}, contract=ARGUMENTS)
