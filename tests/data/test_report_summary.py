"""Files and displays of the best attempt stand at the report, and in what it shows."""

from base64 import b64encode
from dataclasses import replace
from typing import Any

import pytest
from tests.data.test_report import report

from planish import CodeExecution, Report, Task, Validator
from planish.data import Branch, Candidate, Display, PytestFile
from planish_integrations.local import LocalSandbox
from planish_integrations.unsafe import UnsafeLocalSandbox

PNG = b"\x89PNG picture"


def with_outputs(artifacts: dict[str, bytes], *displays: Display) -> Report:
    """A report of two attempts, of which the second is the best and has the outputs."""
    run = report(1, 3)
    first, best = run.history
    execution = replace(best.execution, artifacts=artifacts, displays=displays)
    verdict = replace(best.verdict, execution=execution)
    return replace(run, history=(first, replace(best, verdict=verdict)))


def test_they_are_those_of_the_best_attempt() -> None:
    shown = Display(forms={"text/plain": b"4", "image/png": PNG})
    run = with_outputs({"a.csv": b"1,2"}, shown)
    assert dict(run.artifacts) == {"a.csv": b"1,2"}
    assert run.displays == (shown,)
    assert dict(replace(run, selected=1).artifacts) == {}
    back = Report.from_json(run.to_json())
    assert (back.artifacts, back.displays) == (run.artifacts, run.displays)
    nothing = Report(task=Task("Do it."))
    assert (dict(nothing.artifacts), nothing.displays) == ({}, ())


def test_the_summary_lists_names_and_sizes_of_the_first() -> None:
    files = {f"{number}\x1b.txt": b"x" * 1_500 for number in range(9)}
    text = with_outputs(files, Display(forms={"text/html": b"<b>"})).summary()
    assert r"9 files: 0\x1b.txt (1,500 bytes), 1\x1b.txt" in text
    assert "... and 4 more" in text
    assert "1 display: text/html (3 bytes)" in text
    assert max(map(len, text.splitlines())) <= 300
    assert "file" not in report(1).summary()


def test_a_notebook_shows_pictures_and_no_markup_of_a_program() -> None:
    hostile = Display(forms={"text/html": b"<script>x</script>"})
    run = with_outputs({"p.PNG": PNG, "<i>.txt": b"x"}, Display(forms={"image/png": PNG}), hostile)
    html = run._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert html.count(f"data:image/png;base64,{b64encode(PNG).decode()}") == 2
    assert "<script>" not in html
    assert "<i>" not in html


@pytest.mark.parametrize(("count", "size", "shown"), [(9, 10, 4), (3, 400_000, 2), (1, 10**7, 0)])
def test_the_pictures_of_a_notebook_are_bounded(count: int, size: int, shown: int) -> None:
    run = with_outputs({f"{number}.png": b"x" * size for number in range(count)})
    html = run._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert html.count("<img") == shown
    assert len(html) < 1_500_000


def test_branches_whose_beginnings_are_equal_are_numbered() -> None:
    name = "Retry(CodeGenerator(OpenAIModel('gpt-5', provider='openai'), temperature={}))"
    names = ("cheap", name.format(0.1), name.format(0.2))
    run = replace(report(1), branches=tuple(Branch(name=one, outcome="lost") for one in names))
    lines = [line for line in run.summary().splitlines() if line.startswith("branch ")]
    assert [line.split(" lost")[0] for line in lines] == [
        "branch cheap",
        "branch 1: Retry(CodeGenerator(OpenAIModel('gpt-5'…",
        "branch 2: Retry(CodeGenerator(OpenAIModel('gpt-5'…",
    ]


@pytest.mark.parametrize(
    ("tests", "evidence"),
    [
        ("assert True", "none, no test counts"),
        (PytestFile("import nowhere, solution\ndef test_a(): pass"), "none, the tests are broken"),
        ("assert x == 1", "user, isolated"),
        (None, "none, exit_code"),
    ],
)
@pytest.mark.anyio
async def test_what_does_not_count_is_no_evidence(tests: Any, evidence: str) -> None:
    check = CodeExecution(LocalSandbox()) >> Validator()
    run = await check.run(Candidate(task=Task("Set x.", tests=tests), code="x = 1"))
    assert f"\nevidence: {evidence}\n" in run.summary()


@pytest.mark.anyio
async def test_a_run_gives_them() -> None:
    code = "open('outputs/a.txt', 'w').write('found')"
    check = CodeExecution(UnsafeLocalSandbox(), outputs="outputs") >> Validator()
    run = await check.run(Candidate(task=Task("Write a file."), code=code))
    assert dict(run.artifacts) == {"a.txt": b"found"}
    assert "1 file: a.txt (5 bytes)" in run.summary()
