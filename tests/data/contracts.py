"""Strategies of contracts and their formats, for tests of all values."""

from typing import Any

from hypothesis import strategies as st

from planish.data import (
    AnyFile,
    Contract,
    CsvFile,
    Folder,
    ImageFile,
    JsonFile,
    TextFile,
    ValueFile,
)

__all__ = ["CONTRACTS", "CONTRACT_FIELDS", "FORMATS"]

_OUTPUT_FORMATS = st.sampled_from(
    [
        AnyFile(),
        TextFile(),
        JsonFile(fields={"a": "int"}),
        CsvFile(columns={"a": "str"}),
        ImageFile(),
        ValueFile(type="timedelta"),
        Folder(of=CsvFile(columns={"a": "str"}), least=2),
    ]
)
FORMATS: dict[Any, dict[str, st.SearchStrategy[Any]]] = {
    JsonFile: {"fields": st.none() | st.just({"a": "int"})},
    CsvFile: {"columns": st.none() | st.just({"a": "str"}), "rows": st.integers(0, 9)},
    ImageFile: {"formats": st.sampled_from([("png",), ("jpeg", "png")])},
    ValueFile: {"type": st.sampled_from(["str", "float", "timedelta"])},
    Folder: {
        "of": st.sampled_from([AnyFile(), ValueFile(type="int")]),
        "least": st.integers(1, 9),
    },
}
CONTRACT_FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "inputs": st.just({}),  # a format of a file that is not there would refuse the task
    "outputs": st.dictionaries(st.sampled_from(["a.png", "b/c.json"]), _OUTPUT_FORMATS),
    "folder": st.sampled_from(["out", "results/today"]),
    "arguments": st.just({}),  # they name inputs
}
CONTRACTS = st.none() | st.builds(Contract, **CONTRACT_FIELDS)
