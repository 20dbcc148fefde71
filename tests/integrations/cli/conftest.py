"""The command, each run in a process of its own."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.integrations.cli.template import Template
from tests.integrations.evaluation.conftest import recording, write

__all__ = ["PLANISH", "Template", "recording", "write"]

ROOT = Path(__file__).resolve().parents[3]
INTERPRETER = (sys.executable, "-W", "error")
PLANISH = (*INTERPRETER, "-m", "planish_integrations.cli")
Planish = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def clean() -> dict[str, str]:
    """Return this process's environment, without any key or server of a model."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("OPENAI_", "OLLAMA_"))}
    # The sources beside these tests, where they are; else what is installed.
    roots = [str(root) for name in ("primitives", "integrations") if (root := ROOT / name).is_dir()]
    kept["PYTHONPATH"] = os.pathsep.join(roots)
    return kept


@pytest.fixture
def environment(clean: dict[str, str]) -> dict[str, str]:
    """Return the environment of the command."""
    return clean


@pytest.fixture(scope="session")
def template(clean: dict[str, str]) -> Iterator[Template]:
    """A process that has the command's modules loaded; the session's."""
    started = Template(INTERPRETER, clean)
    yield started
    started.close()


@pytest.fixture
def planish(environment: dict[str, str], template: Template) -> Planish:
    """Runs `planish` to its end."""

    def run(*arguments: object, **more: str) -> "subprocess.CompletedProcess[str]":
        done = template.run([*map(str, arguments)], environment | more)
        out, error = done.stdout.decode(), done.stderr.decode()
        return subprocess.CompletedProcess(done.args, done.returncode, out, error)

    return run


@pytest.fixture
def run(
    environment: dict[str, str], template: Template, tmp_path: Path
) -> Callable[..., "subprocess.CompletedProcess[bytes]"]:
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
        return template.run(["exec", str(program), *map(str, options)], environment, input)

    return run
