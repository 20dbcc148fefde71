"""The contract on files: what each format accepts, and what each refusal says."""

import io
import struct
import time
import zlib
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
    (JsonFile(), '[{"total": 1, "total": 2}]', "is not JSON: the name 'total' stands twice in one"),
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
