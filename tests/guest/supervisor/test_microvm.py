"""The supervisor of one program in a microVM, started as the host's command starts it."""

import base64
import subprocess
import sys
import zlib
from collections.abc import Mapping
from pathlib import Path

import pytest

from planish.data.program import Program
from planish_integrations.sandboxes.e2b._answer import Answer
from planish_integrations.sandboxes.e2b._job import pack
from planish_integrations.sandboxes.host import Frames

ENVIRONMENT = "import os\nprint(os.environ['PATH'], os.environ.get('OF_THE_MACHINE'))"


@pytest.mark.parametrize(
    ("machine", "path"),
    [
        ({}, "/usr/local/bin:/usr/bin:/bin"),  # where POSIX systems keep their commands
        ({"PATH": "/opt/bin:/bin", "OF_THE_MACHINE": "1"}, "/opt/bin:/bin"),
    ],
)
def test_a_program_has_the_path_of_the_machine_or_a_usual_one(
    machine: Mapping[str, str], path: str, tmp_path: Path
) -> None:
    answer = Answer()
    program = Program(main="main.py", files={"main.py": ENVIRONMENT.encode()})
    archive = tmp_path / "job.pyz"
    archive.write_bytes(pack(program, (), {}, answer.word, 60.0).data)
    command = [sys.executable, "-I", "-S", "-B", str(archive)]
    done = subprocess.run(command, env=machine, stdout=subprocess.PIPE, text=True, check=True)
    answer.take(done.stdout)
    assert answer.result is not None
    kind, packed = answer.result.split(" ")
    report = Frames()
    report.feed(zlib.decompress(base64.b64decode(packed)))
    assert kind == "inline"
    assert b"".join(report[b"1"]).decode() == f"{path} None\n"
    assert not [*tmp_path.iterdir()]
