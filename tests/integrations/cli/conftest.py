"""The command as users run it: a process of its own."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.integrations.evaluation.conftest import recording, write

__all__ = ["PLANISH", "recording", "write"]

ROOT = Path(__file__).resolve().parents[3]
PLANISH = (sys.executable, "-W", "error", "-m", "planish_integrations.cli")
Planish = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def environment() -> dict[str, str]:
    """This process's environment, without any key or server of a model."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("OPENAI_", "OLLAMA_"))}
    # The sources beside these tests, where they are; else what is installed.
    roots = [str(root) for name in ("primitives", "integrations") if (root := ROOT / name).is_dir()]
    kept["PYTHONPATH"] = os.pathsep.join(roots)
    return kept


@pytest.fixture
def planish(environment: dict[str, str]) -> Planish:
    """Runs `planish` to its end."""

    def run(*arguments: object, **more: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [*PLANISH, *map(str, arguments)],
            env=environment | more,
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )

    return run


@pytest.fixture
def run(environment: dict[str, str], tmp_path: Path) -> Callable[..., Any]:
    """Runs `planish exec` with a program (its source, its path or "-") to its end, in bytes."""

    def run(
        program: str | Path,
        *options: object,
        input: bytes = b"",  # noqa: A002 - as subprocess has it
    ) -> "subprocess.CompletedProcess[bytes]":
        if program != "-" and isinstance(program, str):
            path = tmp_path / "program.py"
            path.write_text(program)
            program = path
        return subprocess.run(
            [*PLANISH, "exec", str(program), *map(str, options)],
            env=environment,
            input=input,
            capture_output=True,
            timeout=120,
            check=False,
        )

    return run
