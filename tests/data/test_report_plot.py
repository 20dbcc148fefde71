"""The picture of a report."""

import io
import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest
from tests.data.test_report import attempt, report
from tests.laws.kit import TASK

from planish import Report
from planish.data import Usage

HOSTILE = "$\\frac{1}{$ \x1b[31m <b> \u202e $$ %s {}"


def lines_of(figure: Any) -> dict[str, list[float]]:
    """Return the points of each line by its label."""
    return {line.get_label(): list(line.get_ydata()) for line in figure.axes[0].get_lines()}


def test_it_has_the_score_of_each_attempt_and_marks_the_best() -> None:
    figure = report(1, 0, 4).plot()
    lines = lines_of(figure)
    assert lines["score"] == [0.25, 0.0, 1.0]
    assert lines["best, passed"] == [1.0]
    assert figure.get_suptitle().startswith("passed after 3 attempts")
    assert "best" in lines_of(report(1, 0).plot())


def test_it_has_the_tokens_up_to_each_attempt() -> None:
    history = [
        replace(attempt(1, index), index=index, usage=Usage(input_tokens=10 * index))
        for index in (1, 2, 3)
    ]
    figure = Report(task=TASK, history=tuple(history)).plot()
    [tokens] = figure.axes[1].get_lines()
    assert list(tokens.get_ydata()) == [10, 30, 60]


@pytest.mark.parametrize("passed", [(), (0,), tuple([1] * 50)])
def test_any_report_is_drawn_whatever_its_texts_are(passed: tuple[int, ...]) -> None:
    found = report(*passed)
    history = tuple(replace(one, cause=HOSTILE) for one in found.history)
    found = replace(found, task=replace(TASK, requirement=HOSTILE), history=history)
    file = io.BytesIO()
    found.plot().savefig(file, format="png")
    assert file.getvalue().startswith(b"\x89PNG")
    assert "matplotlib.pyplot" not in sys.modules


def test_without_matplotlib_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ModuleNotFoundError, match=r"plot"):
        report(1).plot()


def test_nothing_else_loads_matplotlib_or_another_large_library() -> None:
    code = (
        "import sys; from planish import *; from planish.data import *; "
        "import planish.data.report_plot; "
        "from planish.testing import *; from tests.data.test_report import report; "
        "found = report(0, 4); found.rows(), found.to_csv(), found.to_markdown(), str(found); "
        "print({'matplotlib', 'numpy', 'pandas', 'networkx'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("set()", "")
