"""`Contract`: which files a task brings and takes back, and in which formats."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from planish.arguments import PATH_EXAMPLE, path_fault
from planish.data.contract.formats import (
    AnyFile,
    CsvFile,
    FileFormat,
    ImageFile,
    JsonFile,
    TextFile,
)
from planish.data.record import Record, freeze
from planish.errors import TaskError

__all__ = ["AnyFile", "Contract", "CsvFile", "FileFormat", "ImageFile", "JsonFile", "TextFile"]


def _no_formats() -> dict[str, FileFormat]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract(Record):
    """Names and formats of the files that a task brings and of those that a run must return.

    The inputs are checked when the task is made, the outputs after each run. An output that is
    missing or has another format is a failed test of the execution, so that the attempt does not
    pass, and a finding for the next one.

    Attributes:
        inputs: Format of files of the task, by path relative to the working directory.
        outputs: Format of files that the run must leave, by path in `folder`.
        folder: The folder for outputs, which is made before the program starts.

    Raises:
        TaskError: a path is no plain relative path, or a format is none of the classes.

    Example:
        >>> contract = Contract(outputs={"total.json": JsonFile(fields={"total": "float"})})
        >>> contract.output_faults({"total.json": b'{"total": "5"}'})
        {'total.json': "has str in field 'total', not float"}
    """

    inputs: Mapping[str, FileFormat] = field(default_factory=_no_formats)
    outputs: Mapping[str, FileFormat] = field(default_factory=_no_formats)
    folder: str = "out"

    def __post_init__(self) -> None:
        for name in ("inputs", "outputs"):
            formats: object = getattr(self, name)
            if not isinstance(formats, Mapping):
                raise TaskError(
                    f"Contract({name}={formats!r:.200}): give a dict of formats by path"
                )
            for path, one in cast("Mapping[str, object]", formats).items():
                _require_path(f"Contract({name}=...)", path)
                if not isinstance(one, FileFormat):
                    raise TaskError(
                        f"Contract({name}=...): {path!r} must have a format, such as CsvFile(), "
                        f"not {one!r:.200}"
                    )
            freeze(self, name)
        _require_path("Contract(folder=...)", self.folder)

    def input_faults(self, files: Mapping[str, bytes]) -> dict[str, str]:
        """Return what is wrong with the files of a task, by path.

        Args:
            files: Content by path.
        """
        return _faults(self.inputs, files)

    def output_faults(self, artifacts: Mapping[str, bytes]) -> dict[str, str]:
        """Return what is wrong with the files that a run has left, by path in `folder`.

        Args:
            artifacts: Content by path, as `Execution.artifacts`.
        """
        return _faults(self.outputs, artifacts)


def _faults(formats: Mapping[str, FileFormat], files: Mapping[str, bytes]) -> dict[str, str]:
    faults: dict[str, str] = {}
    for path, one in formats.items():
        missing = None if one.optional else "is missing"
        fault = one.fault(files[path]) if path in files else missing
        if fault is not None:
            faults[path] = fault
    return faults


def _require_path(owner: str, path: object) -> None:
    fault = path_fault(path) if isinstance(path, str) else "is not a text"
    if fault is not None:
        raise TaskError(f"{owner}: {path!r:.300} {fault}; {PATH_EXAMPLE}")
