"""What a sandbox reports stays with the execution."""

import pickle
from typing import Any, get_args

import pytest

from planish.data.candidate import Candidate
from planish.data.execution import Execution
from planish.data.program import Completed
from planish.data.sandbox import GUARANTEES, Display, Guarantee
from planish.data.task import Task
from planish.data.tests import Stdio, StdioPairs
from planish.steps.execution import CodeExecution
from planish.steps.validator import Validator
from planish.testing import ScriptedSandbox


def test_a_guarantee_is_said_in_a_word_and_explained_in_a_sentence() -> None:
    assert sorted(GUARANTEES) == list(GUARANTEES) == list(get_args(Guarantee))
    assert all(
        name.replace("_", "").isalpha() and len(text) > 20 for name, text in GUARANTEES.items()
    )


async def _execute(*endings: Completed) -> Execution:
    pairs = tuple(Stdio(stdin=f"{number}", stdout="1") for number in range(len(endings)))
    task = Task("Print one.", tests=StdioPairs(pairs))
    candidate = Candidate(task=task, code="print(1)")
    return await CodeExecution(ScriptedSandbox(endings)).run(candidate)


def _completed(*guarantees: Guarantee, **more: Any) -> Completed:
    return Completed(exit_code=0, stdout=b"1\n", guarantees=guarantees, isolation="vm", **more)


@pytest.mark.anyio
async def test_what_held_for_every_run_is_what_held() -> None:
    execution = await _execute(_completed("files", "network"), _completed("network", "writes"))
    assert execution.guarantees == ("network",)
    assert execution.isolation == "vm"


@pytest.mark.anyio
async def test_what_came_back_stays_with_the_evidence_and_travels_as_json() -> None:
    display = Display(forms={"text/plain": b"1", "image/png": bytes(range(256))}, main=True)
    ended = _completed(artifacts={"a.bin": b"\xff"}, displays=(display,), findings=("no yaml",))
    execution = await _execute(ended)
    assert execution.artifacts == {"a.bin": b"\xff"}
    assert execution.displays[0].text == "1"
    assert execution.findings == ("no yaml",)
    back = Execution.from_json(execution.to_json())
    assert back == execution
    assert hash(back) == hash(execution)
    assert pickle.loads(pickle.dumps(back)) == execution  # noqa: S301
    for frozen in (back.artifacts, back.displays[0].forms):
        change: Any = frozen
        for name in ("clear", "popitem", "update"):
            with pytest.raises(TypeError, match="frozen"):
                getattr(change, name)()
        with pytest.raises(TypeError, match="frozen"):
            change["x"] = b""


@pytest.mark.anyio
async def test_what_the_sandbox_noticed_is_told_with_the_failure() -> None:
    refused = "the package 'yamlx' may not be installed"
    ended = Completed(exit_code=1, stdout=b"2\n", findings=(refused,))
    report = await Validator().run(await _execute(ended))
    assert not report.passed
    assert refused in report.feedback.render()


@pytest.mark.anyio
async def test_a_pass_is_not_failed_by_what_was_noticed() -> None:
    report = await Validator().run(await _execute(_completed(findings=("a file was left out",))))
    assert report.passed


def test_a_display_that_is_no_utf_8_has_a_text() -> None:
    assert Display(forms={"text/plain": b"caf\xe9 \xc3\xa9"}).text == "caf\ufffd \u00e9"
    assert Display(forms={}).text == ""
