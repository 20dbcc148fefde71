"""Small files of tasks and recordings, written for each test."""

import gzip
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.integrations.evaluation.small import ADD, Rows


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, Rows], Path]:
    """Writes rows to a file of this name as JSON lines, gzipped where the name says so."""

    def write_rows(name: str, rows: Rows) -> Path:
        content = "".join(json.dumps(row) + "\n" for row in rows).encode()
        path = tmp_path / name
        path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
        return path

    return write_rows


@pytest.fixture
def recording(tmp_path: Path, write: Callable[[str, Rows], Path]) -> Callable[..., Path]:
    """Makes a directory of these replies to one task."""

    def make(*rows: Mapping[str, Any], tasks: Rows = (ADD,)) -> Path:
        write("tasks.jsonl.gz", tasks)
        write("me.jsonl.gz", rows)
        return tmp_path

    return make
