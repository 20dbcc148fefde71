"""The task's files beside a candidate that changes them: what may decide, and what is on record."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from planish import Candidate, CodeExecution, Execution, Task
from planish.abc import Sandbox
from planish.data import Case, Cases, PytestFile, Status, StdioPairs
from planish_integrations.local import LocalSandbox
from planish_integrations.unsafe import UnsafeLocalSandbox

FILES = {"data/n.txt": "2\n3\n", "top.txt": "5", "oracle.py": "def right():\n    return 5\n"}
HONEST = "def total():\n    return sum(map(int, open('data/n.txt')))\n"
# It gives 7, and has every file say so.
LIAR = """
import os, shutil, sys
def total():
    open('top.txt', 'w').write('7')
    os.remove('data/n.txt')
    open('data/n.txt', 'w').write('7')
    open('data/more.txt', 'w').write('x' * 7)
    shutil.copy('data/n.txt', 'copy.txt')
    open('oracle.py', 'w').write('def right():\\n    return 7\\n')
    os.makedirs('oracle', exist_ok=True)
    open('oracle/__init__.py', 'w').write('def right():\\n    return 7\\n')
    open('conftest.py', 'w').write('import os\\nos._exit(0)\\n')
    import oracle
    oracle.right = lambda: 7
    return 7
"""


Run = Callable[..., Awaitable[Execution]]


@pytest.fixture
def run(local: Sandbox) -> Run:
    """Run code for a task with files."""

    async def go(
        code: str, tests: Any, *, files: Any = FILES, sandbox: Sandbox = local, **options: Any
    ) -> Execution:
        candidate = Candidate(task=Task("Add.", tests=tests, files=files, **options), code=code)
        return await CodeExecution(sandbox).run(candidate)

    return go


READS = {
    "open": "sum(map(int, open('data/n.txt')))",
    "a path": "int(__import__('pathlib').Path('top.txt').read_text())",
    "an absolute path": "int(open(__import__('os').path.abspath('top.txt')).read())",
    "another way to the path": "int(open('data/../top.txt', 'rb').read())",
    "a descriptor": "int(__import__('os').read(__import__('os').open('top.txt', 0), 9))",
    "a file beside one of the task's": "len(open('data/more.txt').read())",
    "the number of files": "5 + len([n for n in __import__('os').listdir('data')]) * 1",
    "a pattern": "5 + len([*__import__('pathlib').Path('.').glob('data/*.txt')])",
    "a program": "int(__import__('subprocess').check_output(['cat', 'top.txt']))",
    "a size": "__import__('os').path.getsize('data/more.txt')",
    "another size": "__import__('os').stat('data/more.txt').st_size",
}


@pytest.mark.anyio
@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize("kind", ["asserts", "pytest", "cases"])
async def test_tests_that_read_what_the_code_can_write_say_so(
    run: Run, read: str, kind: str
) -> None:
    code = LIAR.replace("total", "total_")
    options: dict[str, Any] = {}
    if kind == "cases":
        tests: Any = Cases(cases=(Case(args=(), predicate=f"result == {READS[read]}"),))
        options = {"entry_point": "total_"}
    elif kind == "pytest":
        tests = PytestFile(
            f"from solution import total_\n\ndef test_it():\n    got = total_()\n"
            f"    assert got == {READS[read]}\n"
        )
    else:
        tests = f"got = total_()\nassert got == {READS[read]}"
    execution = await run(code, tests, **options)
    assert execution.separation == "shared_process", (execution.status, execution.failure)
    assert any("the code can" in reason for reason in execution.weakened_by)


@pytest.mark.anyio
@pytest.mark.parametrize("kind", ["asserts", "pytest"])
async def test_a_module_of_the_task_is_the_tests_own_whatever_the_code_makes_of_it(
    run: Run,
    kind: str,
) -> None:
    tests: Any = "from oracle import right\nassert total() == right()"
    if kind == "pytest":
        tests = PytestFile(
            "from solution import total\n\ndef test_it():\n    got = total()\n"
            "    from oracle import right\n    assert got == right()\n"
        )
    lying = await run(LIAR, tests)
    assert lying.status is Status.WRONG_ANSWER, (lying.tests, lying.failure)
    honest = await run(HONEST, tests)
    assert honest.status is Status.SUCCESS, (honest.tests, honest.failure)
    assert honest.separation == "isolated", honest.weakened_by


@pytest.mark.anyio
async def test_the_code_imports_the_modules_of_the_task_too(run: Run) -> None:
    files = {"pkg/__init__.py": "", "pkg/one.py": "from pkg.two import x\n", "pkg/two.py": "x = 4"}
    tests = "from pkg.one import x\nassert f() == x"
    execution = await run("import pkg.one\ndef f():\n    return pkg.one.x", tests, files=files)
    assert execution.status is Status.SUCCESS, (execution.tests, execution.failure)
    assert execution.separation == "isolated", execution.weakened_by


@pytest.mark.anyio
@pytest.mark.parametrize(
    "tests",
    [
        "assert total() == 5",
        "assert total('data/n.txt') == 5",
        "total()\nassert open('result.txt').read() == '5'",
        "with open('data/n.txt', 'w') as file:\n    _ = file.write('9')\nassert total() == 9",
    ],
)
async def test_tests_that_read_no_file_of_the_task_stay_apart(run: Run, tests: str) -> None:
    code = (
        "def total(path='data/n.txt'):\n    found = sum(map(int, open(path)))\n"
        "    open('result.txt', 'w').write(str(found))\n    return found\n"
    )
    execution = await run(code, tests)
    assert execution.status is Status.SUCCESS, (execution.tests, execution.failure)
    assert execution.separation == "isolated", execution.weakened_by


@pytest.mark.anyio
@pytest.mark.parametrize("sandbox", [UnsafeLocalSandbox, LocalSandbox])
async def test_each_run_has_the_files_as_they_were(run: Run, sandbox: Any) -> None:
    shared: Sandbox = sandbox()
    await run(LIAR, "assert total() == 7", sandbox=shared)
    execution = await run(HONEST, "assert total() == 5", sandbox=shared)
    assert execution.status is Status.SUCCESS, (execution.tests, execution.failure)


@pytest.mark.anyio
async def test_programs_in_any_language_have_them(run: Run) -> None:
    pairs = StdioPairs([("1\n", "25\n")])
    files = {"data/n.txt": "2\n", "top.txt": "5"}
    code = "read x\necho $(tr -d '\\n' < data/n.txt)$(cat top.txt)"
    execution = await run(code, pairs, files=files, language="bash")
    assert execution.status is Status.SUCCESS, (execution.tests, execution.stderr)


@pytest.mark.anyio
async def test_configuration_among_them_is_not_the_verifiers(run: Run) -> None:
    files = {
        "conftest.py": "raise SystemExit('read')",
        "setup.cfg": "[tool:pytest]\naddopts = --collect-only\n",
        "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '--collect-only'\n",
        "sitecustomize.py": "raise SystemExit('read')",
        "test_other.py": "def test_other():\n    assert False\n",
    }
    tests = PytestFile("from solution import f\n\ndef test_it():\n    assert f() == 1\n")
    execution = await run("def f():\n    return 1", tests, files=files)
    assert [(test.name, test.status) for test in execution.tests] == [("test_it", "passed")], (
        execution.failure,
        execution.stdout,
    )
    assert execution.separation == "isolated", execution.weakened_by


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("Data/N.txt", "of the task"),
        ("top.txt/x", "of the task"),
        ("data", "other files are in it"),
    ],
)
async def test_a_candidates_file_in_their_way_is_a_finding(
    local: Sandbox, path: str, words: str
) -> None:
    candidate = Candidate(task=Task("Do it.", files=FILES), code="x = 1", files={path: ""})
    execution = await CodeExecution(local).run(candidate)
    assert execution.failure is not None
    assert words in execution.failure.message


@pytest.mark.anyio
async def test_other_files_are_another_program(local: Sandbox) -> None:
    task = Task("Add.", tests="assert total() == 5", files=FILES)
    execute = CodeExecution(local)
    first = await execute.run(Candidate(task=task, code=HONEST))
    same = await execute.run(Candidate(task=task, code=HONEST))
    changed = Task("Add.", tests="assert total() == 5", files={**FILES, "top.txt": "6"})
    other = await execute.run(Candidate(task=changed, code=HONEST))
    assert first.key == same.key != other.key
