"""A pipeline that is constructed needs no module of planish that is not loaded yet.

A service may give up its access to files, or be upgraded on disk, before its first run.
"""

import subprocess
import sys

PROGRAM = """
import sys
import anyio
from planish import CodeExecution, CodeGenerator, Retry, Task, Validator
from planish.data import Assertions
from planish.testing import ScriptedModel
from planish_integrations.unsafe import UnsafeLocalSandbox as UnsafeSandbox

replies = ["def f(): return 2", "```python\\ndef f(): return 1\\n```"]
attempt = CodeGenerator(ScriptedModel(replies)) >> CodeExecution(UnsafeSandbox()) >> Validator()
pipeline = Retry(attempt, attempts=2)
task = Task("f() is 1", tests=Assertions("assert f() == 1"))
before = set(sys.modules)
report = anyio.run(pipeline.run, task)
assert report.passed and len(report.history) == 2, report.summary()
rooms = ("planish.extraction.", "planish.feedback.", "planish.judges.", "planish.verification.")
print(sorted(name for name in set(sys.modules) - before if name.startswith(rooms)))
"""


def test_no_module_is_imported_in_the_first_run() -> None:
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM], check=False, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == "[]"
