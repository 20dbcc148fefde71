"""The contract on files: what each format accepts, and what each refusal says."""

import io
import struct
import time
import zlib
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from planish import Task
from planish.data import (
    AnyFile,
    Contract,
    CsvFile,
    FileFormat,
    Folder,
    ImageFile,
    JsonFile,
    TextFile,
    ValueFile,
)
from planish.errors import TaskError
from planish.prompts import default_prompt


def chunk(kind: bytes, data: bytes = b"") -> bytes:
    """Return a chunk of a PNG."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


HEADER = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
PNG = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", HEADER) + chunk(b"IDAT", b"x") + chunk(b"IEND")
NO_PIXELS = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", HEADER) + chunk(b"IEND")
ZERO = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", bytes(13)) + chunk(b"IDAT") + chunk(b"IEND")
TOTAL = JsonFile(fields={"total": "float", "note": "str|null"})
ROWS = CsvFile(columns={"region": "str", "amount": "int", "at": "date?"}, rows=2)
HEAD = "region,amount,at\n"

ACCEPTED: list[tuple[FileFormat, str | bytes]] = [
    (AnyFile(), b"\0"),
    (TextFile(), "ä"),
    (JsonFile(), "[1, 2]"),
    (TOTAL, '{"total": 5, "note": null, "more": []}'),
    (TOTAL, '\ufeff{"total": 5.5, "note": ""}'),
    (ROWS, HEAD + "north,2,2026-01-01\r\n\nsouth,-3,\n"),
    (CsvFile(rows=0), "a,b\n"),
    (CsvFile(columns={"x": "float"}), "x\n" + "1\n1.\n.5\n-1.5e-3\nnan\n-inf\n"),
    (CsvFile(columns={"x": "bool", "t": "datetime"}), "x,t\nTrue,2026-01-01T10:00:00+01:00\n"),
    (ImageFile(), PNG),
    (ImageFile(formats=("jpeg", "gif")), b"\xff\xd8\xff\xe0 \xff\xd9"),
    (ImageFile(), b"GIF89a ;"),
    (ImageFile(), b"RIFF\x04\0\0\0WEBP"),
    (JsonFile(fields={"t": "timedelta"}), '{"t": "PT1.5S"}'),
    (JsonFile(fields={"d": "date", "t": "datetime|null"}), '{"d": "2026-01-31", "t": null}'),
    (CsvFile(columns={"x": "timedelta"}), 'x\n"-1 day, 23:00:00"\n0:00:01.5\nP2W\n-PT5M\n'),
    (ValueFile(type="str"), ""),
]
REFUSED: list[tuple[FileFormat, str | bytes, str]] = [
    (AnyFile(), b"", "is empty"),
    (TextFile(), b"\xff", "is not text"),
    (TextFile(), " \n", "is empty"),
    (TextFile(), "a\0", "is not text"),
    (JsonFile(), "{'a': 1}", "is not JSON"),
    (JsonFile(), "NaN", "NaN is no number"),
    (JsonFile(), "[" * 100_000, "is not JSON"),
    (JsonFile(), "9" * 10_000, "is not JSON"),
    (JsonFile(), b"\xff", "is not JSON"),
    (JsonFile(), b"1" + b" " * (16 << 20), "at most 16,777,216 are read"),
    (TOTAL, "[]", "is list, not an object"),
    (TOTAL, '{"note": null}', "has no field 'total'"),
    (TOTAL, '{"total": true, "note": null}', "has bool in field 'total', not float"),
    (TOTAL, '{"total": 1, "note": 1}', "has int in field 'note', not str|null"),
    (ROWS, "", "is empty"),
    (ROWS, "region,amount\n", "has the columns region, amount, not region, amount, at"),
    (ROWS, HEAD + "north,2,\n", "has 1 rows, not 2"),
    (ROWS, HEAD + "north,2\n", "has 2 cells in row 1, not 3"),
    (ROWS, HEAD + "north,,\n", "has '' in row 1, column 'amount', not int"),
    (ROWS, HEAD + "north,2.0,\n", "has '2.0' in row 1"),
    (ROWS, HEAD + "north,1_0,\n", "has '1_0' in row 1"),
    (ROWS, HEAD + "north,1,yesterday\n", "has 'yesterday' in row 1, column 'at', not date?"),
    (ROWS, HEAD + '"north,1,\n', "is not CSV"),
    (ROWS, b"\xff", "is not text"),
    (CsvFile(), b"a\n" + b" " * (16 << 20), "at most"),
    (ImageFile(), b"", "is empty"),
    (ImageFile(), b"<svg/>", "is not an image"),
    (ImageFile(formats=("jpeg",)), PNG, "is a png image, not jpeg"),
    (ImageFile(), PNG[:-3], "cut off|damaged"),
    (ImageFile(), PNG[:20], "without a header"),
    (ImageFile(), PNG.replace(b"IDATx", b"IDATy"), "is damaged at byte 33"),
    (ImageFile(), NO_PIXELS, "without pixels"),
    (ImageFile(), ZERO, "without pixels"),
    (ImageFile(), b"\xff\xd8\xff\xe0", "cut off"),
    (ImageFile(), b"RIFF\x05\0\0\0WEBP", "cut off"),
    (JsonFile(fields={"t": "timedelta"}), '{"t": "soon"}', "has str in field 't', not timedelta"),
    (JsonFile(fields={"t": "datetime"}), '{"t": 5}', "has int in field 't', not datetime"),
    (CsvFile(columns={"x": "timedelta"}), "x\n1:99:00\n", "has '1:99:00' in row 1"),
    (ValueFile(type="float"), "", "has '', not one float"),
    (ValueFile(type="int"), "1.0", "has '1.0', not one int"),
    (ValueFile(type="int"), "9" * 10_000, ", not one int"),
    (ValueFile(type="bool"), "yes", "has 'yes', not one bool"),
    (ValueFile(type="date"), "31.1.2026", ", not one date"),
    (ValueFile(type="timedelta"), "P", ", not one timedelta"),
    (ValueFile(type="timedelta"), "P999999999W", ", not one timedelta"),
    (ValueFile(type="timedelta"), "5", ", not one timedelta"),
    (ValueFile(type="str"), b"\xff", "is not text"),
]
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


def as_bytes(content: str | bytes) -> bytes:
    """Return a text as UTF-8."""
    return content.encode() if isinstance(content, str) else content


@pytest.mark.parametrize(("format_", "content"), ACCEPTED)
def test_what_a_format_accepts(format_: FileFormat, content: str | bytes) -> None:
    assert format_.fault(as_bytes(content)) is None


@pytest.mark.parametrize(("format_", "content", "words"), REFUSED)
def test_what_a_format_refuses(format_: FileFormat, content: str | bytes, words: str) -> None:
    fault = format_.fault(as_bytes(content))
    assert fault is not None
    assert any(word in fault for word in words.split("|") if words == "cut off|damaged") or (
        words in fault
    )
    assert len(fault) < 1_300


def test_hostile_cells_take_linear_time() -> None:
    cell = "1" * 130_000 + "x"
    started = time.process_time()
    assert CsvFile(columns={"x": "float"}).fault(f"x\n{cell}\n".encode()) is not None
    assert time.process_time() - started < 5  # a pattern that goes back takes hours


def test_a_real_picture_is_an_image() -> None:
    pillow = pytest.importorskip("PIL.Image")
    for kind in ("png", "jpeg", "gif", "webp"):
        file = io.BytesIO()
        pillow.new("RGB", (3, 2), "red").save(file, kind)
        assert ImageFile().fault(file.getvalue()) is None, kind
        assert ImageFile().fault(file.getvalue()[:-3]) is not None, kind


@pytest.mark.parametrize(
    ("kind", "options", "words"),
    [
        (Contract, {"outputs": {"../x": AnyFile()}}, "leads out"),
        (Contract, {"outputs": {"x": CsvFile}}, "must have a format"),
        (Contract, {"inputs": ["x"]}, "give a dict"),
        (Contract, {"folder": "/out"}, "is absolute"),
        (JsonFile, {"fields": {"x": "number"}}, "types are str, int"),
        (CsvFile, {"columns": {"x": "text"}}, "types are str, int"),
        (CsvFile, {"rows": -1}, "rows"),
        (ImageFile, {"formats": ()}, "at least one"),
        (ImageFile, {"formats": ("svg",)}, "none of png"),
        (Task, {"requirement": "Do it.", "contract": {}}, "must be a Contract"),
        (ValueFile, {"type": "File"}, "types are str, int"),
        (Folder, {"of": Folder()}, "give a format"),
        (Folder, {"least": 0}, "least"),
        (Contract, {"arguments": {"x": "x"}}, "none of the inputs"),
        (Contract, {"inputs": {"x": AnyFile()}, "arguments": {"-x": "x"}}, "no name of an option"),
    ],
)
def test_a_contract_that_means_nothing_is_an_error(
    kind: Any, options: dict[str, Any], words: str
) -> None:
    with pytest.raises(TaskError, match=words):
        kind(**options)


def test_inputs_are_checked_when_the_task_is_made() -> None:
    contract = Contract(
        inputs={"a.csv": CsvFile(columns={"x": "int"}), "b": AnyFile(optional=True)}
    )
    assert Task("Do it.", files={"a.csv": "x\n1\n"}, contract=contract).contract is contract
    for _ in range(2):
        with pytest.raises(TaskError, match=r"'a.csv' has 'y' in row 1, column 'x', not int"):
            Task("Do it.", files={"a.csv": "x\ny\n"}, contract=contract)
        with pytest.raises(TaskError, match=r"'a.csv' is missing"):
            Task("Do it.", contract=contract)


def test_the_prompt_says_what_must_be_written() -> None:
    outputs: dict[str, FileFormat | Folder] = {
        "t.json": TOTAL,
        "r.csv": ROWS,
        "p.png": ImageFile(optional=True),
    }
    text = default_prompt(Task("Do it.", contract=Contract(outputs=outputs)))[1].content
    assert (
        "It must write these files into the folder `out`, which exists and must stay:\n"
        "- `t.json`: JSON, an object with total (float), note (str|null)\n"
        "- `r.csv`: CSV with the columns region (str), amount (int), at (date?) and at least 2 "
        "rows\n"
        "- `p.png`: an image (png or jpeg or gif or webp) (may be missing)"
    ) in text


def test_a_contract_survives_json() -> None:
    formats: dict[str, FileFormat | Folder] = {
        f"f{number}": one for number, (one, _) in enumerate(ACCEPTED)
    }
    formats["f"] = Folder(of=ROWS, least=2)
    inputs = {"x": ValueFile(type="int", optional=True)}
    contract = Contract(inputs=inputs, outputs=formats, folder="o", arguments={"x": "x"})
    assert Contract.from_json(contract.to_json()) == contract
    task = Task("Do it.", contract=contract, files={"y": b"\xff"})
    assert Task.from_json(task.to_json()) == task
    assert hash(task) == hash(Task.from_json(task.to_json()))


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
    with pytest.raises(TaskError, match="link"):
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
    outputs = {"rows": Folder(optional=True), "n": ValueFile(type="int", optional=True)}
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
