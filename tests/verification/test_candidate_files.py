"""A candidate of several files: how it is laid out, run, judged and isolated."""

from collections.abc import Callable
from typing import Any

import pytest

from planish import Candidate, CodeExecution, Execution, Task
from planish.abc import Sandbox
from planish.data import PytestFile, Status, StdioPairs
from planish_integrations.local import LocalSandbox
from planish_integrations.unsafe import UnsafeLocalSandbox

LOCAL = LocalSandbox()

HELPER = "def add(a, b):\n    return a + b\n"
MAIN = "from helper import add\n\ndef f(x):\n    return add(x, 1)\n"
ASSERTS = "assert f(1) == 2\nassert f(-1) == 0"
PYTEST = PytestFile("from solution import f\n\ndef test_it():\n    assert f(1) == 2\n")
KINDS: dict[str, dict[str, Any]] = {
    "cases": {"tests": [(1, 2), (-1, 0)], "entry_point": "f"},
    "asserts": {"tests": ASSERTS},
    "script": {"tests": ASSERTS.replace("f(1) ==", "f(1) !="), "entry_point": "f"},
    "pytest": {"tests": PYTEST},
    "a shared process": {"tests": f"import inspect\nassert inspect.getsource(f)\n{ASSERTS}"},
    "no tests": {"tests": None},
}


async def execute(
    code: str, files: dict[str, str], sandbox: Sandbox | None = None, **options: Any
) -> Execution:
    path = options.pop("path", None)
    task = Task("Do it.", **options)
    candidate = Candidate(task=task, code=code, files=files, path=path)
    return await CodeExecution(sandbox or LOCAL).run(candidate)


@pytest.mark.anyio
@pytest.mark.parametrize("kind", KINDS)
async def test_the_main_file_imports_the_others(kind: str) -> None:
    files = {"helper.py": HELPER, "pkg/__init__.py": "", "pkg/deep/m.py": "x = 1\n"}
    execution = await execute("import pkg.deep.m\n" + MAIN, files, **KINDS[kind])
    expected = Status.PARTIAL_SUCCESS if kind == "script" else Status.SUCCESS
    assert execution.status is expected, execution.failure
    assert "helper" not in execution.packages
    wrong = await execute(MAIN, {"helper.py": HELPER.replace("+", "-")}, **KINDS[kind])
    assert wrong.status is not Status.SUCCESS or kind == "no tests"


@pytest.mark.anyio
@pytest.mark.parametrize("kind", KINDS)
async def test_the_local_sandbox_lays_them_out_too(kind: str) -> None:
    files = {"helper.py": HELPER, "data/x.txt": "1", "pkg/deep/m.py": "x = 1\n"}
    main = "import pkg.deep.m\nassert open('data/x.txt').read() == '1'\n" + MAIN
    options = dict(KINDS[kind])
    execution = await execute(main, files, LocalSandbox(), **options)
    expected = Status.PARTIAL_SUCCESS if kind == "script" else Status.SUCCESS
    assert execution.status is expected, (execution.failure, execution.stderr)
    if kind in ("cases", "asserts", "pytest"):
        assert execution.separation == "isolated", execution.weakened_by


@pytest.mark.anyio
async def test_a_test_of_another_file_only_is_evidence() -> None:
    tests = PytestFile("from helper import add\n\ndef test_it():\n    assert add(1, 1) == 2\n")
    execution = await execute(MAIN, {"helper.py": HELPER}, tests=tests)
    assert [test.status for test in execution.tests] == ["passed"]
    asserts = "import helper\nassert helper.add(1, 1) == 2"
    execution = await execute(MAIN, {"helper.py": HELPER}, tests=asserts)
    assert [test.status for test in execution.tests] == ["passed"]


@pytest.mark.anyio
async def test_programs_for_standard_input_have_files_too() -> None:
    tests = StdioPairs([("3\n", "4\n")])
    main = MAIN + "print(f(int(input())))\n"
    execution = await execute(main, {"helper.py": HELPER}, tests=tests)
    assert execution.status is Status.SUCCESS, execution.failure


@pytest.mark.anyio
async def test_files_import_the_main_file_by_its_path() -> None:
    main = "import user\n\nBASE = 1\n\ndef f(x):\n    return user.plus(x)\n"
    user = "def plus(x):\n    import calc\n    return x + calc.BASE\n"
    execution = await execute(main, {"user.py": user}, tests=ASSERTS, path="calc.py")
    assert execution.status is Status.SUCCESS, execution.failure


@pytest.mark.anyio
@pytest.mark.parametrize(
    "tests",
    [
        "import helper, pkg.m\nfrom pkg import m\nassert helper.add(1, pkg.m.y) == m.y + 1 == 6",
        PytestFile(
            "from helper import add\nfrom pkg.m import y\nfrom pkg import m\n\n"
            "def test_it():\n    assert add(1, 1) == 2\n    assert y == m.y == 5\n"
        ),
    ],
    ids=["asserts", "pytest"],
)
async def test_tests_import_the_files_and_stay_apart(tests: Any) -> None:
    files = {"helper.py": HELPER, "pkg/__init__.py": "z = 1\n", "pkg/m.py": "y = 5\n"}
    execution = await execute(MAIN, files, tests=tests)
    assert execution.status is Status.SUCCESS, (execution.failure, execution.tests)
    wrong = await execute(MAIN, {**files, "pkg/m.py": "y = 6\n"}, tests=tests)
    assert wrong.status is not Status.SUCCESS


FORGERY = """import os, sys
os.write(2, b"ENTERED")
class _All:
    def __getattr__(self, name):
        return lambda *a, **k: self
sys.modules[{!r}] = _All()
"""
FORGERIES = {
    name: FORGERY.format(name)
    for name in (
        "ctypes",
        "select",
        "_blake2",
        "pytest",
        "sitecustomize",
        "argcomplete",
        "colorama",
    )
}


@pytest.mark.anyio
@pytest.mark.parametrize("name", FORGERIES)
@pytest.mark.parametrize("kind", ["cases", "asserts", "pytest"])
async def test_no_file_is_imported_where_the_tests_decide(
    name: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As if the host did not know the module: the sandbox's Python may be another version.
    monkeypatch.setattr("sys.stdlib_module_names", frozenset[str]())
    wrong = MAIN.replace("add(x, 1)", "0")
    files = {"helper.py": HELPER, f"{name}.py": FORGERIES[name]}
    execution = await execute(wrong, files, **KINDS[kind])
    assert execution.status is not Status.SUCCESS
    assert not any(test.status == "passed" for test in execution.tests if "-1" not in test.name)
    assert "ENTERED" not in execution.stderr


HOSTILE: dict[str, tuple[dict[str, str], str]] = {
    "outside": ({"../up.py": ""}, "leads out"),
    "absolute": ({"/etc/up.py": ""}, "is absolute"),
    "not plain": ({"a/./b.py": ""}, "not a plain path"),
    "NUL": ({"a\0.py": ""}, "NUL"),
    "a surrogate": ({"\ud800.py": ""}, "surrogate"),
    "too long": ({"a" * 300 + ".py": ""}, "255 bytes"),
    "case twins": ({"Data.txt": "", "data.txt": ""}, "by case only"),
    "twin folders": ({"A/x.py": "", "a/y.py": ""}, "is in 'a', which differs from 'A' by case"),
    "composed twins": ({"\u00e9.txt": "", "e\u0301.txt": ""}, "by case only"),
    "a file in a file": ({"a": "", "a/b.py": ""}, "other files are in it"),
    "the main file": ({"Solution.py": ""}, "main file"),
    "the plan": ({"plan.bin": ""}, "of the verification"),
    "the verifier": ({"_planish.bin": ""}, "of the verification"),
    "its own folder": ({"_planish_files/a.py": ""}, "of the verification"),
    "a standard module": ({"json.py": ""}, "standard library"),
    "a standard package": ({"email/x.py": ""}, "standard library"),
    "too many": ({f"m{number}.py": "" for number in range(10_000)}, "10,000 files"),
    "too large": ({"a.txt": "x" * (9 << 20)}, "bytes"),
    "broken": ({"helper.py": "def add(:\n"}, "helper.py, line 1"),
    "a NUL in it": ({"helper.py": "x = 1\0"}, "helper.py"),
}


@pytest.mark.anyio
@pytest.mark.parametrize(("files", "message"), HOSTILE.values(), ids=HOSTILE.keys())
async def test_files_that_cannot_be_laid_out_are_a_finding(
    files: dict[str, str], message: str
) -> None:
    execution = await execute(MAIN, files, tests=ASSERTS)
    assert execution.status is Status.SYNTAX_ERROR
    assert execution.runs == 0
    assert execution.failure is not None
    assert message in execution.failure.message
    assert len(execution.failure.message) < 3_000
    assert dict(execution.candidate.files) == files  # nothing is lost


@pytest.mark.anyio
@pytest.mark.parametrize("path", ["conftest.py", "pytest.ini", "test_solution.py", "data/x.txt"])
async def test_files_of_the_tests_are_not_replaced(path: str) -> None:
    tests = PytestFile(PYTEST.source, files={"data/x.txt": "1"})
    execution = await execute(MAIN, {"helper.py": HELPER, path: ""}, tests=tests)
    assert execution.failure is not None
    assert "of a test" in execution.failure.message


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("data/x.csv", "is the path of a file of the task"),
        ("data/X.csv", "is the path of a file of the task"),
        ("data/x.csv/y.py", "is the path of a file of the task"),
        ("data", "is a file, and other files are in it"),
        ("Data/y.py", "is in 'Data', which differs from 'data' by case only"),
    ],
)
async def test_files_of_the_task_are_not_replaced(path: str, message: str) -> None:
    task = Task("Do it.", files={"data/x.csv": "1"}, tests=ASSERTS)
    candidate = Candidate(task=task, code=MAIN, files={"helper.py": HELPER, path: ""})
    execution = await CodeExecution(LOCAL).run(candidate)
    assert execution.runs == 0
    assert execution.failure is not None
    assert f"{path!r} {message}" in execution.failure.message


@pytest.mark.anyio
async def test_other_files_beside_the_tests_are_allowed() -> None:
    tests = PytestFile(PYTEST.source, files={"data/x.txt": "1"})
    files = {"helper.py": HELPER, "data/y.txt": "2", "email.txt": ""}
    assert (await execute(MAIN, files, tests=tests)).status is Status.SUCCESS


def test_equal_code_with_other_files_is_another_program(run: Callable[..., Any]) -> None:
    del run
    task = Task("Do it.", tests=ASSERTS)
    one, other = (Candidate(task=task, code=MAIN, files={"a.py": text}) for text in ("1", "2"))
    assert one.digest != other.digest


ERRORS = "class NotEnough(Exception):\n    pass\n"
BANK = """from bank.errors import NotEnough


class Bank:
    def __init__(self, balance):
        self.balance = balance

    def take(self, amount):
        if amount > self.balance:
            raise NotEnough(f"there is {self.balance}")
        self.balance -= amount
"""
BANK_TESTS = """import pytest

from bank import Bank
from bank.errors import NotEnough


def test_it_takes():
    bank = Bank(10)
    bank.take(7)
    assert bank.balance == 3


def test_no_more_than_there_is():
    with pytest.raises(NotEnough, match="there is 10"):
        Bank(10).take(11)
"""


@pytest.mark.anyio
@pytest.mark.parametrize("sandbox", [LocalSandbox, UnsafeLocalSandbox])
async def test_classes_of_other_files_are_tested(sandbox: Any) -> None:
    files = {"bank/__init__.py": BANK, "bank/errors.py": ERRORS}
    execution = await execute("x = 1\n", files, sandbox(), tests=PytestFile(BANK_TESTS))
    assert [one.status for one in execution.tests] == ["passed", "passed"], execution.failure
    wrong = {**files, "bank/__init__.py": BANK.replace("amount >", "0 >")}
    execution = await execute("x = 1\n", wrong, sandbox(), tests=PytestFile(BANK_TESTS))
    assert [one.status for one in execution.tests] == ["passed", "failed"], execution.failure


@pytest.mark.anyio
@pytest.mark.parametrize("sandbox", [LocalSandbox, UnsafeLocalSandbox])
async def test_the_code_may_be_a_package(sandbox: Any) -> None:
    tests = PytestFile(BANK_TESTS, module="bank")
    options: dict[str, Any] = {"tests": tests, "path": "bank/__init__.py"}
    execution = await execute(BANK, {"bank/errors.py": ERRORS}, sandbox(), **options)
    assert [one.status for one in execution.tests] == ["passed", "passed"], execution.failure
    raises = BANK.replace("self.balance -=", "self.balances -=")
    execution = await execute(raises, {"bank/errors.py": ERRORS}, sandbox(), **options)
    assert execution.failure is not None
    assert (execution.failure.name, execution.failure.line) == ("AttributeError", 11)
    if sandbox is LocalSandbox:
        assert execution.separation == "isolated", execution.weakened_by


@pytest.mark.anyio
async def test_a_package_is_no_other_file_beside_itself() -> None:
    files = {"bank/errors.py": ERRORS, "bank/__init__.py": "x = 1"}
    options: dict[str, Any] = {"tests": PytestFile(BANK_TESTS, module="bank")}
    execution = await execute(BANK, files, path="bank/__init__.py", **options)
    assert execution.failure is not None
    assert "is the path of the main file" in execution.failure.message


@pytest.mark.anyio
async def test_a_module_that_the_code_lacks_is_no_fault_of_the_tests() -> None:
    execution = await execute(
        "x = 1\n", {"bank/__init__.py": "Bank = int"}, tests=PytestFile(BANK_TESTS)
    )
    assert execution.status is Status.RUNTIME_ERROR
