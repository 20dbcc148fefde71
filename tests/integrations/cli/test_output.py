"""Results are written whole or not at all."""

import json
import os
import stat
from pathlib import Path

import click
import pytest

from planish_integrations.cli._output import (
    STDOUT,
    require_writable,
    table,
    write_json,
)


def test_a_file_is_as_it_was_when_writing_fails(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    path.write_text("before")
    with pytest.raises(TypeError):
        write_json(path, {"not JSON": object()})
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_a_new_file_has_the_rights_a_new_file_has(tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        write_json(tmp_path / "out.json", {"a": "\udc80 é"})
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "out.json").stat().st_mode) == 0o640
    assert json.loads((tmp_path / "out.json").read_text("utf-8")) == {"a": "? é"}


def test_a_device_is_written_to_not_replaced(tmp_path: Path) -> None:
    link = tmp_path / "null"
    link.symlink_to(os.devnull)
    write_json(link, {"a": 1})
    assert link.is_symlink()


def test_standard_output_needs_no_place() -> None:
    require_writable(None)
    require_writable(STDOUT)


def test_a_place_that_is_none_is_told_before_the_work(tmp_path: Path) -> None:
    require_writable(tmp_path / "new.json")
    assert not list(tmp_path.iterdir())
    with pytest.raises(click.UsageError, match="there is no directory"):
        require_writable(tmp_path / "none" / "new.json")


def test_columns_are_aligned() -> None:
    assert table([("a", "long"), ("wider", None), (1, 2.5)]) == "a      long\nwider\n1      2.5"
