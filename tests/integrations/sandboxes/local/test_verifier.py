"""The verifier's modules are loaded once in the template process, and only these."""

import errno
import marshal
import sys
from collections.abc import Callable, Mapping

import anyio
import pytest

from planish import CodeExecution, Task, Validator, Verdict
from planish.data.candidate import Candidate
from planish.data.program import Program
from planish.data.tests import Assertions
from planish.verification import VERIFIER, verifier_bundle
from planish_integrations.local import LocalSandbox, Tier

pytestmark = pytest.mark.anyio

Python = Callable[..., Program]
LISTS = "import os\ndef listed(): return sorted(os.listdir('.'))\n"


async def _verdict(sandbox: LocalSandbox, test: str, code: str = LISTS) -> Verdict:
    task = Task(requirement="list", tests=Assertions(code=test), entry_point="listed")
    run = CodeExecution(sandbox) >> Validator()
    verdict = (await run.run(Candidate(task=task, code=code))).verdict
    assert verdict is not None
    return verdict


async def test_once_they_are_loaded_no_program_brings_them(tier: Tier) -> None:
    async with LocalSandbox(tier=tier, spare=1) as sandbox:
        brings = f"assert {VERIFIER!r} in listed()"
        assert (await _verdict(sandbox, brings)).label == "passed"
        with anyio.fail_after(60):
            while (await _verdict(sandbox, brings)).label == "passed":
                pass
        assert (await _verdict(sandbox, f"assert {VERIFIER!r} not in listed()")).label == "passed"
        assert (await _verdict(sandbox, "assert not listed()")).label == "failed"


async def test_a_host_without_a_descriptor_for_them_goes_on(
    tier: Tier, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_name: str) -> int:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr("os.memfd_create", refuse)
    async with LocalSandbox(tier=tier, spare=1) as sandbox:
        for _ in range(3):
            assert (await _verdict(sandbox, f"assert {VERIFIER!r} in listed()")).label == "passed"


async def test_a_file_of_that_name_is_not_loaded(tier: Tier) -> None:
    code = marshal.dumps(compile("print('loaded ahead')", "x", "exec"), 2)
    bundle = marshal.dumps((sys.version, {"start": code}, b"", {}, ("start",)), 2)
    files: Mapping[str, bytes] = {
        "main.py": b"print(len(open('_planish.bin', 'rb').read()), '__bundle__' in globals())",
        VERIFIER: bundle,
    }
    async with LocalSandbox(tier=tier, spare=1) as sandbox:
        for _ in range(3):
            done = await sandbox.run(Program(main="main.py", files=files))
            assert (done.stdout, done.stderr) == (b"%d False\n" % len(bundle), b"")


async def test_other_programs_do_not_notice(tier: Tier, python: Python) -> None:
    program = python(
        "import sys, gc\n"
        "print(*globals(), *sys.modules)\n"
        "print([one for one in gc.get_objects() if type(one).__name__ == 'Bundle'])"
    )
    async with LocalSandbox(tier=tier, spare=1) as sandbox:
        before = await sandbox.run(program)
        while (await _verdict(sandbox, f"assert {VERIFIER!r} in listed()")).label == "passed":
            pass
        after = [await sandbox.run(program) for _ in range(3)][-1]
        assert after.stdout.splitlines()[1] == b"[]"
        names, later = ({*done.stdout.splitlines()[0].split()} for done in (before, after))
        assert names <= later
        assert {one for one in later - names if not one.startswith(b"_")} <= {b"array"}


async def test_an_interpreter_of_its_own_reads_them_from_the_file(tier: Tier) -> None:
    async with LocalSandbox(tier=tier, spare=1, fresh_interpreter=True) as sandbox:
        for _ in range(3):
            found = await _verdict(sandbox, f"assert {VERIFIER!r} in listed()")
            assert found.label == "passed", found.execution.failure


async def test_a_verdict_is_the_same_with_both(tier: Tier) -> None:
    wrong = "def listed(): return 1 / 0\n"
    async with LocalSandbox(tier=tier, spare=1) as sandbox:
        verdicts = [await _verdict(sandbox, "assert listed()", wrong) for _ in range(4)]
    first, *others = (verdict.execution for verdict in verdicts)
    assert first.failure is not None
    for other in others:
        assert (other.status, other.failure) == (first.status, first.failure)
        assert [test.message for test in other.tests] == [test.message for test in first.tests]


def test_the_bundle_is_equal_for_all_programs() -> None:
    assert verifier_bundle() is verifier_bundle()
