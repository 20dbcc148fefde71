"""The formats of files and folders: what each requires of their content, and in which words."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from planish.arguments import require_count, require_mapping
from planish.data.contract.images import ImageFile
from planish.data.contract.types import (
    CELL_TYPES,
    JSON_TYPES,
    ValueFile,
    is_cell,
    is_json,
    json_type,
    require_type,
    text_of,
)
from planish.data.json_reading import object_of
from planish.data.record import Record, freeze
from planish.errors import TaskError

__all__ = [
    "AnyFile",
    "CsvFile",
    "FileFormat",
    "Folder",
    "ImageFile",
    "JsonFile",
    "TextFile",
    "ValueFile",
]

_MAX_PARSED = 16 << 20  # bytes: JSON takes some ten times as much memory when it is parsed


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyFile(Record):
    """A file of any content.

    Attributes:
        optional: Whether the file may be missing; False by default.
    """

    format: Literal["any"] = field(default="any", repr=False)
    optional: bool = False

    def describe(self) -> str:
        """Return what the content must be, in words."""
        return "a file"

    def fault(self, content: bytes) -> str | None:
        """Return what is wrong with the content, as the end of a sentence; None if nothing is."""
        return None if content else "is empty"


@dataclass(frozen=True, slots=True, kw_only=True)
class TextFile(Record):
    """A text in UTF-8 that is not empty.

    Attributes:
        optional: Whether the file may be missing; False by default.
    """

    format: Literal["text"] = field(default="text", repr=False)
    optional: bool = False

    def describe(self) -> str:
        """Return what the content must be, in words."""
        return "text in UTF-8"

    def fault(self, content: bytes) -> str | None:
        """Return what is wrong with the content, as the end of a sentence; None if nothing is."""
        text = text_of(content)
        if text is None:
            return "is not text in UTF-8"
        return None if text.strip() else "is empty"


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonFile(Record):
    """A JSON document of at most 16 MiB, no object of which has a name twice.

    Attributes:
        fields: The fields that the document, an object, must have, with the type of each: "str",
            "int", "float" (which an integer is too), "bool", "list", "dict" or "null"; several
            with "|", such as "int|null". None (the default): the document may be any value.
        optional: Whether the file may be missing; False by default.

    Raises:
        TaskError: there is no such type.
    """

    format: Literal["json"] = field(default="json", repr=False)
    fields: Mapping[str, str] | None = None
    optional: bool = False

    def __post_init__(self) -> None:
        if self.fields is None:
            return
        require_mapping("JsonFile", "fields", self.fields, "types by name", error=TaskError)
        freeze(self, "fields")
        for name, types in self.fields.items():
            for one in types.split("|"):
                require_type("JsonFile", name, one, JSON_TYPES)

    def describe(self) -> str:
        """Return what the content must be, in words."""
        if self.fields is None:
            return "JSON"
        return f"JSON, an object with {_named(self.fields)}"

    def fault(self, content: bytes) -> str | None:
        """Return what is wrong with the content, as the end of a sentence; None if nothing is."""
        if len(content) > _MAX_PARSED:
            return f"has {len(content):,} bytes: at most {_MAX_PARSED:,} are read"
        import json  # noqa: PLC0415 - most tasks have no contract

        try:
            value = json.loads(
                content.decode("utf-8-sig"),
                parse_constant=_refuse_constant,
                object_pairs_hook=object_of,
            )
        except (ValueError, RecursionError) as error:
            return f"is not JSON: {str(error)[:200]}"
        if self.fields is None:
            return None
        if not isinstance(value, dict):
            return f"is {json_type(value)}, not an object"
        for name, types in self.fields.items():
            if name not in value:
                return f"has no field {name!r}"
            found = cast("dict[str, Any]", value)[name]
            if not any(is_json(found, one) for one in types.split("|")):
                return f"has {json_type(found)} in field {name!r}, not {types}"
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class CsvFile(Record):
    """A table with commas between its cells and names in its first row, of at most 16 MiB.

    Attributes:
        columns: Names of the columns, in this order, with the type of each: "str", "int", "float",
            "bool", "date" or "datetime" (ISO 8601); with "?" at the end, cells may be empty.
            None (the default) for any columns.
        rows: The least number of rows below the names; 1 by default.
        optional: Whether the file may be missing; False by default.

    Raises:
        TaskError: there is no such type; `rows` is not a whole number from 0.
    """

    format: Literal["csv"] = field(default="csv", repr=False)
    columns: Mapping[str, str] | None = None
    rows: int = 1
    optional: bool = False

    def __post_init__(self) -> None:
        require_count("CsvFile", "rows", self.rows, least=0, error=TaskError)
        if self.columns is None:
            return
        require_mapping("CsvFile", "columns", self.columns, "types by name", error=TaskError)
        freeze(self, "columns")
        for name, one in self.columns.items():
            require_type("CsvFile", name, one.removesuffix("?"), CELL_TYPES)

    def describe(self) -> str:
        """Return what the content must be, in words."""
        rows = f" and at least {self.rows} rows" if self.rows > 1 else ""
        if self.columns is None:
            return f"CSV with names in its first row{rows}"
        return f"CSV with the columns {_named(self.columns)}{rows}"

    def fault(self, content: bytes) -> str | None:
        """Return what is wrong with the content, as the end of a sentence; None if nothing is."""
        if len(content) > _MAX_PARSED:
            return f"has {len(content):,} bytes: at most {_MAX_PARSED:,} are read"
        text = text_of(content)
        if text is None:
            return "is not text in UTF-8"
        import csv  # noqa: PLC0415 - most tasks have no contract
        import io  # noqa: PLC0415

        try:
            return self._rows_fault(csv.reader(io.StringIO(text, newline=""), strict=True))
        except csv.Error as error:
            return f"is not CSV: {error}"

    def _rows_fault(self, rows: Iterator[list[str]]) -> str | None:
        names = next(rows, None)
        if not names:
            return "is empty"
        if self.columns is not None and names != list(self.columns):
            return f"has the columns {_cut(names)}, not {_cut(list(self.columns))}"
        types = list(self.columns.values()) if self.columns is not None else []
        count = 0
        for row in rows:
            if not row:  # an empty line
                continue
            count += 1
            if len(row) != len(names):
                return f"has {len(row)} cells in row {count}, not {len(names)}"
            for name, cell, one in zip(names, row, types, strict=False):
                if not is_cell(cell, one):
                    return f"has {cell[:100]!r} in row {count}, column {name!r}, not {one}"
        return None if count >= self.rows else f"has {count} rows, not {self.rows}"


FileFormat = AnyFile | TextFile | JsonFile | CsvFile | ImageFile | ValueFile
"""The format of one file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder(Record):
    """A folder with files of one format, in folders of its own or not. Other names are free.

    Attributes:
        of: The format of each file; any by default.
        least: The least number of files; 1 by default.
        optional: Whether the folder may be missing, or empty; False by default.

    Raises:
        TaskError: `of` is no format of a file; `least` is not a whole number from 1.
    """

    format: Literal["folder"] = field(default="folder", repr=False)
    of: FileFormat = field(default_factory=AnyFile)
    least: int = 1
    optional: bool = False

    def __post_init__(self) -> None:
        require_count("Folder", "least", self.least, least=1, error=TaskError)
        if not isinstance(cast("object", self.of), FileFormat):
            raise TaskError(f"Folder(of={self.of!r:.200}): give a format, such as CsvFile()")

    def describe(self) -> str:
        """Return what the files must be, in words."""
        files = "file" if self.least == 1 else "files"
        return f"a folder with at least {self.least} {files}, each of them {self.of.describe()}"

    def fault(self, files: Mapping[str, bytes]) -> str | None:
        """Return what is wrong with the files, as the end of a sentence; None if nothing is.

        Args:
            files: Content by path in the folder; at least one.
        """
        for path, content in files.items():
            fault = self.of.fault(content)
            if fault is not None:
                return f"has the file {path[:_NAMES]!r}, which {fault}"
        count = len(files)
        return None if count >= self.least else f"has {count} files, not {self.least}"


def _named(types: Mapping[str, str]) -> str:
    return ", ".join(f"{name} ({one})" for name, one in types.items())


def _cut(names: list[str]) -> str:
    text = ", ".join(names)
    return text if len(text) <= _NAMES else f"{text[:_NAMES]} ..."


_NAMES = 500  # characters of the names of columns in a message


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")
