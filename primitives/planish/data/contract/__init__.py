"""`Contract`: what a task brings and takes back, in which formats, and how it reaches the code."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from planish.arguments import PATH_EXAMPLE, path_fault, require_mapping
from planish.data.contract.formats import (
    AnyFile,
    CsvFile,
    FileFormat,
    Folder,
    ImageFile,
    JsonFile,
    TextFile,
    ValueFile,
)
from planish.data.record import Record, freeze
from planish.errors import TaskError

__all__ = [
    "AnyFile",
    "Contract",
    "CsvFile",
    "FileFormat",
    "Folder",
    "ImageFile",
    "JsonFile",
    "TextFile",
    "ValueFile",
]

_OPTION = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,99}")
_MAX_ARGUMENT = 100_000  # bytes: the system takes 128 KiB


def _no_formats() -> dict[str, FileFormat | Folder]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract(Record):
    """Names and formats of what a task brings and of what a run must return.

    Each input and each output is a file, also a single value (`ValueFile`), or a folder of files
    (`Folder`). Inputs can be passed to the program as arguments too.

    The inputs are checked when the task is made, the outputs after each run. An output that is
    missing or has another format is a failed test of the execution, so that the attempt does not
    pass, and a finding for the next one.

    Attributes:
        inputs: Format of files of the task, by path relative to the working directory.
        outputs: Format of files that the run must leave, by path in `folder`.
        folder: The folder for outputs, which is made before the program starts.
        arguments: Inputs that the program is passed as arguments, in this order: path of an
            input by the name of its option. A single value is passed itself, of all others the
            path: {"rate": "rate", "table": "data/sales.csv"} makes the arguments
            `--rate 0.5 --table data/sales.csv`. None by default. A text that begins with "-" is
            passed as `--name=text`.

    Raises:
        TaskError: a path is no plain relative path, or a format is none of the classes; an
            argument is none of the inputs, or has no name of an option.

    Example:
        >>> contract = Contract(outputs={"total.json": JsonFile(fields={"total": "float"})})
        >>> contract.output_faults({"total.json": b'{"total": "5"}'})
        {'total.json': "has str in field 'total', not float"}
    """

    inputs: Mapping[str, FileFormat | Folder] = field(default_factory=_no_formats)
    outputs: Mapping[str, FileFormat | Folder] = field(default_factory=_no_formats)
    folder: str = "out"
    arguments: Mapping[str, str] = field(default_factory=dict[str, str])

    def __post_init__(self) -> None:
        for name in ("inputs", "outputs"):
            formats: object = getattr(self, name)
            if not isinstance(formats, Mapping):
                raise TaskError(
                    f"Contract({name}={formats!r:.200}): give a dict of formats by path"
                )
            for path, one in cast("Mapping[str, object]", formats).items():
                _require_path(f"Contract({name}=...)", path)
                if not isinstance(one, FileFormat | Folder):
                    raise TaskError(
                        f"Contract({name}=...): {path!r} must have a format, such as CsvFile(), "
                        f"not {one!r:.200}"
                    )
            freeze(self, name)
        _require_path("Contract(folder=...)", self.folder)
        require_mapping("Contract", "arguments", self.arguments, "texts by option", error=TaskError)
        freeze(self, "arguments")
        for name, path in self.arguments.items():
            if not _OPTION.fullmatch(name):
                raise TaskError(f"Contract(arguments=...): {name!r:.200} is no name of an option")
            if path not in self.inputs:
                raise TaskError(
                    f"Contract(arguments=...): {name!r} is {path!r:.200}, which is none of the "
                    f"inputs ({', '.join(map(repr, self.inputs))})"
                )

    def input_faults(self, files: Mapping[str, bytes]) -> dict[str, str]:
        """Return what is wrong with the files of a task, by path.

        Args:
            files: Content by path.
        """
        faults = _faults(self.inputs, files)
        for path in self.arguments.values():
            size = len(files.get(path, b""))
            if isinstance(self.inputs[path], ValueFile) and size > _MAX_ARGUMENT:
                faults[path] = f"has more than {_MAX_ARGUMENT:,} bytes: too long an argument"
        return faults

    def output_faults(self, artifacts: Mapping[str, bytes]) -> dict[str, str]:
        """Return what is wrong with the files that a run has left, by path in `folder`.

        Args:
            artifacts: Content by path, as `Execution.artifacts`.
        """
        return _faults(self.outputs, artifacts)

    def argument_texts(self, files: Mapping[str, bytes]) -> tuple[str, ...]:
        """Return the arguments of the program. An optional input that is missing has none.

        Args:
            files: The task's files: content by path.
        """
        texts: list[str] = []
        for name, path in self.arguments.items():
            one, own = self.inputs[path], _below(path, files)
            if path not in files and not own:
                continue
            text = _value_argument(one, files[path]) if isinstance(one, ValueFile) else path
            texts += [f"--{name}={text}"] if text.startswith("-") else [f"--{name}", text]
        return tuple(texts)

    def read(self, artifacts: Mapping[str, bytes]) -> dict[str, Any]:
        """Return the outputs as values of Python, by path in `folder`.

        A `ValueFile` is its value; a `Folder` a dict of contents by path in it; any other file its
        content. Optional outputs that are missing are left out.

        Args:
            artifacts: Content by path, as `Execution.artifacts` of an execution that passed.

        Raises:
            ValueError: an output breaks the contract; the message names it.

        Example:
            >>> Contract(outputs={"total": ValueFile(type="float")}).read({"total": b"2.5"})
            {'total': 2.5}
        """
        for path, fault in self.output_faults(artifacts).items():
            raise ValueError(f"{self.folder}/{path} {fault}")
        values: dict[str, Any] = {}
        for path, one in self.outputs.items():
            if isinstance(one, Folder):
                values[path] = _below(path, artifacts)
            elif path in artifacts:
                content = artifacts[path]
                values[path] = one.read(content) if isinstance(one, ValueFile) else content
        return values


def _faults(
    formats: Mapping[str, FileFormat | Folder], files: Mapping[str, bytes]
) -> dict[str, str]:
    faults: dict[str, str] = {}
    for path, one in formats.items():
        own = _below(path, files)
        missing = None if one.optional else "is missing"
        if isinstance(one, Folder):
            fault = one.fault(own) if own else missing
            fault = "is a file, not a folder" if path in files else fault
        elif path in files:
            fault = one.fault(files[path])
        else:
            fault = "is a folder, not a file" if own else missing
        if fault is not None:
            faults[path] = fault
    return faults


def _below(path: str, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files in a folder, by path in it."""
    start = f"{path}/"
    return {one[len(start) :]: files[one] for one in files if one.startswith(start)}


def _value_argument(one: ValueFile, content: bytes) -> str:
    text = content.decode("utf-8-sig")
    return text if one.type == "str" else text.strip()


def _require_path(owner: str, path: object) -> None:
    fault = path_fault(path) if isinstance(path, str) else "is not a text"
    if fault is not None:
        raise TaskError(f"{owner}: {path!r:.300} {fault}; {PATH_EXAMPLE}")
