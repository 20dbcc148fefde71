"""A program of several files, tested by a pytest file, in versions that are never overwritten.

The first version has a placeholder, so a policy refuses it before it runs. The second has a bug in
one of its modules. Each version is a candidate with all of its files; the example saves the one
that passed. Nothing here needs an account.
"""

import tempfile
from pathlib import Path

import anyio

from planish import CodeExecution, CodeGenerator, CodePolicy, Retry, Task, Validator
from planish.data import Attempt, PytestFile
from planish.testing import ScriptedModel
from planish_integrations.local import LocalSandbox

TESTS = """import pytest

from bank import Bank
from bank.errors import NotEnough


def test_a_transfer_moves_money():
    bank = Bank({"ann": 10, "bob": 0})
    bank.transfer("ann", "bob", 7)
    assert bank.balances == {"ann": 3, "bob": 7}


def test_no_more_than_there_is():
    bank = Bank({"ann": 10, "bob": 0})
    with pytest.raises(NotEnough, match="ann has 10"):
        bank.transfer("ann", "bob", 11)
    assert bank.balances == {"ann": 10, "bob": 0}
"""

TASK = Task(
    "Write a package `bank`: Bank(balances).transfer(source, target, amount) moves money; it "
    "raises bank.errors.NotEnough if there is too little, and then moves nothing.",
    tests=PytestFile(TESTS, module="bank"),
)

VERSION = """`bank/errors.py`:
```python
class NotEnough(Exception):
    pass
```

`bank/__init__.py`:
```python
from bank.errors import NotEnough


class Bank:
    def __init__(self, balances):
        self.balances = dict(balances)

    def transfer(self, source, target, amount):
{body}
```
"""

PLACEHOLDER = """        raise NotImplementedError"""

TOO_LATE = """        self.balances[source] -= amount
        self.balances[target] += amount
        if self.balances[source] < 0:
            raise NotEnough(source)"""

RIGHT = """        if self.balances[source] < amount:
            raise NotEnough(f"{source} has {self.balances[source]}")
        self.balances[source] -= amount
        self.balances[target] += amount"""


def save(attempt: Attempt, folder: Path) -> None:
    candidate = attempt.candidate
    for path, content in {
        **candidate.files,
        candidate.path or "solution.py": candidate.code,
    }.items():
        target = folder / f"v{attempt.index:02}" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content, encoding="utf-8")
        print(f"{target.relative_to(folder)}: {len(content)} characters")


async def main() -> None:
    bodies = (PLACEHOLDER, TOO_LATE, RIGHT)
    model = ScriptedModel([VERSION.format(body=body) for body in bodies], name="offline")
    execute = CodeExecution(LocalSandbox())
    loop = Retry(CodeGenerator(model) >> CodePolicy() >> execute >> Validator(), attempts=5)
    report = await loop.run(TASK)
    for attempt in report.history:
        found = "; ".join(finding.message for finding in attempt.verdict.findings)
        print(f"version {attempt.index}: {attempt.status} {found}")
    with tempfile.TemporaryDirectory() as folder:
        save(report.unwrap(), Path(folder))


if __name__ == "__main__":
    anyio.run(main)
