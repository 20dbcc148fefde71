"""Read problems in LiveCodeBench's format: public tests as JSON, private ones compressed."""

import base64
import binascii
import io
import pickle
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from planish.data.tests import Tests, Tolerance
from planish_integrations.evaluation._contests import (
    IMPORTS,
    call_tests,
    entry_point_of,
    prompt_of,
    stdio_tests,
)
from planish_integrations.evaluation._errors import RowError
from planish_integrations.evaluation._jsonl import (
    as_list,
    as_object,
    decode_json,
    id_field,
    json_field,
    text_field,
)
from planish_integrations.evaluation._problem import Problem

__all__ = ["from_livecodebench"]

_FIELDS = ("public_test_cases", "private_test_cases")
_EXACT = Tolerance()  # the published judge compares numbers by exact value
_MOST = 1 << 30  # bytes of unpacked tests; the largest published ones have about 300 MB

_Row = Mapping[str, Any]


def from_livecodebench(row: _Row) -> Problem | None:
    """Return the problem of a row; None if the row has another format.

    Raises:
        RowError: it has no tests, they do not have LiveCodeBench's format, or the compressed ones
            contain anything but data.
    """
    content, task_id = text_field(row, "question_content"), id_field(row, "question_id")
    if content is None or task_id is None or not any(field in row for field in _FIELDS):
        return None
    groups = {field: _tests(row, field) for field in _FIELDS}
    all_tests = [test for tests in groups.values() for test in tests]
    kinds = {test.get("testtype") for test in all_tests}
    if not all_tests:
        raise RowError("has no tests")
    if kinds not in ({"stdin"}, {"functional"}):
        raise RowError(f"its tests are of the types {sorted(map(str, kinds))}, which is unknown")
    starter, program = text_field(row, "starter_code") or "", kinds == {"stdin"}
    function = None if program else _function(row)
    public = groups["public_test_cases"]
    return Problem(
        bench="LiveCodeBench",
        task_id=task_id,
        prompt=prompt_of(content, starter, program=program),
        entry_point=None if function is None else entry_point_of(function, starter),
        preamble=IMPORTS,
        tests=_as_tests(all_tests, program=program),
        visible_tests=_as_tests(public, program=program) if public else (),
        counts={field: len(tests) for field, tests in groups.items()},
    )


def _tests(row: _Row, field: str) -> list[_Row]:
    if field not in row:
        raise RowError(f"its {field} is missing: only part of its tests would be run")
    value: Any = row[field]
    if isinstance(value, str) and not value.lstrip().startswith("["):
        value = _unpack(value, field)
    elif isinstance(value, str):
        value = json_field(row, field)
    listed = as_list(value)
    if listed is None:
        raise RowError(f"its {field} is not a list of tests")
    tests = [as_object(test) or {} for test in listed]
    for test in tests:
        if text_field(test, "input") is None or text_field(test, "output") is None:
            raise RowError(f"its {field} contains a test without input and output")
    return list(tests)


def _unpack(text: str, field: str) -> Any:
    """Return tests that were encoded as JSON, pickle, zlib and base64, in this order.

    Nothing in them is executed: the unpickler accepts only data.
    """
    try:
        unpacker = zlib.decompressobj()
        data = unpacker.decompress(base64.b64decode(text, validate=True), _MOST)
        if unpacker.unconsumed_tail:
            raise RowError(f"its {field} has more than {_MOST:,} bytes")
        value = _DataUnpickler(io.BytesIO(data)).load()
        return decode_json(value) if isinstance(value, str) else value
    except RowError:
        raise
    except (binascii.Error, zlib.error) as error:
        raise RowError(f"its {field} is neither JSON nor packed: {error}") from error
    except Exception as error:  # a damaged pickle can raise any exception
        raise RowError(f"its {field} cannot be unpacked: {error}") from error


class _DataUnpickler(pickle.Unpickler):
    """Reads texts, numbers, lists and dicts, and rejects every reference to an import."""

    def find_class(self, module_name: str, global_name: str, /) -> NoReturn:
        raise RowError(
            f"its packed tests name {module_name}.{global_name}, which is not data: not loaded"
        )

    def persistent_load(self, pid: Any) -> NoReturn:
        raise RowError(f"its packed tests name the object {pid!r}, which is not data: not loaded")


def _function(row: _Row) -> str:
    name = text_field(as_object(json_field(row, "metadata")) or {}, "func_name")
    if name is None or not name.isidentifier():
        raise RowError("has functional tests and no func_name in its metadata")
    return name


def _as_tests(tests: Sequence[_Row], *, program: bool) -> Tests:
    if program:
        return stdio_tests([(test["input"], test["output"]) for test in tests], tolerance=_EXACT)
    try:
        return call_tests(
            [
                (tuple(map(decode_json, test["input"].split("\n"))), decode_json(test["output"]))
                for test in tests
            ]
        )
    except (ValueError, RecursionError) as error:
        if isinstance(error, RowError):
            raise
        raise RowError(f"the input or output of a test is not JSON: {error}") from error
