"""What a program may use is checked where it is written; what a run brought back stays with it."""

import pickle
from typing import Any

import pytest

from planish import (
    GUARANTEES,
    Candidate,
    CodeExecution,
    Completed,
    Display,
    Execution,
    Guarantee,
    ResourceLimits,
    Stdio,
    StdioPairs,
    Task,
    Validator,
)
from planish.testing import ScriptedSandbox

NAMES = ("seconds", "memory_mb", "output_bytes", "file_bytes", "processes", "disk_mb", "files")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", [0, -1])
def test_a_limit_is_more_than_nothing(name: str, value: int) -> None:
    wrong: dict[str, Any] = {name: value}
    with pytest.raises(ValueError, match=rf"Limits\({name}="):
        ResourceLimits(**wrong)


@pytest.mark.parametrize("value", [float("inf"), float("nan"), 0.0, -0.5])
def test_time_is_finite(value: float) -> None:
    with pytest.raises(ValueError, match="more than 0 and finite"):
        ResourceLimits(seconds=value)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", ["10", True, None, b"1"])
def test_a_limit_is_a_number(name: str, value: Any) -> None:
    with pytest.raises(TypeError, match=rf"Limits\({name}=.*number"):
        ResourceLimits(**{name: value})


def test_only_time_comes_in_parts() -> None:
    assert ResourceLimits(seconds=0.5).seconds == 0.5
    with pytest.raises(TypeError, match="a whole number"):
        ResourceLimits(disk_mb=0.5)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def test_a_guarantee_is_said_in_a_word_and_explained_in_a_sentence() -> None:
    assert sorted(GUARANTEES) == list(GUARANTEES)
    assert all(
        name.replace("_", "").isalpha() and len(text) > 20 for name, text in GUARANTEES.items()
    )


async def _executed(*endings: Completed) -> Execution:
    pairs = tuple(Stdio(stdin=f"{number}", stdout="1") for number in range(len(endings)))
    task = Task("Print one.", tests=StdioPairs(pairs))
    candidate = Candidate(task=task, code="print(1)")
    return await CodeExecution(ScriptedSandbox(endings)).run(candidate)


def _ended(*guarantees: Guarantee, **more: Any) -> Completed:
    return Completed(exit_code=0, stdout=b"1\n", guarantees=guarantees, isolation="vm", **more)


@pytest.mark.anyio
async def test_what_held_for_every_run_is_what_held() -> None:
    execution = await _executed(_ended("files", "network"), _ended("network", "writes"))
    assert execution.guarantees == ("network",)
    assert execution.isolation == "vm"


@pytest.mark.anyio
async def test_what_came_back_stays_with_the_evidence_and_travels_as_json() -> None:
    shown = Display(forms={"text/plain": b"1", "image/png": bytes(range(256))}, main=True)
    ended = _ended(artifacts={"a.bin": b"\xff"}, displays=(shown,), findings=("no yaml",))
    execution = await _executed(ended)
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
    report = await Validator().run(await _executed(ended))
    assert not report.passed
    assert refused in report.feedback.render()


@pytest.mark.anyio
async def test_a_pass_is_not_failed_by_what_was_noticed() -> None:
    report = await Validator().run(await _executed(_ended(findings=("a file was left out",))))
    assert report.passed
