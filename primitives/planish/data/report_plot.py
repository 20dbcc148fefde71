"""Draw a report: the score of each attempt, which of them passed, and what they have cost."""

from typing import TYPE_CHECKING, Any

from planish.data.report_rows import visible
from planish.data.report_summary import headline

if TYPE_CHECKING:
    from planish.data.report import Report

__all__ = ["plot"]

_TITLE = 80  # characters
_SIZE = (7.0, 4.0)  # inches
_CAUSES = 30  # attempts whose cause is written below them


def plot(report: "Report") -> Any:
    """Return a matplotlib figure of the scores and of the tokens used up to each attempt.

    Raises:
        ModuleNotFoundError: matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 - an extra
        from matplotlib.ticker import MaxNLocator  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            'report.plot() needs matplotlib: pip install ".[plot]" in a checkout, or '
            'pip install "matplotlib>=3.9"',
            name=error.name,
        ) from error
    # Without pyplot, which would hold every figure and may open a window.
    kind: Any = Figure
    figure = kind(figsize=_SIZE, layout="constrained")
    axes = figure.add_subplot()
    # The texts may be a program's: a dollar sign must not begin a formula.
    axes.set_title(visible(report.task.requirement, _TITLE), parse_math=False)
    figure.suptitle(headline(report), parse_math=False)
    axes.set(xlabel="attempt", ylabel="score", ylim=(-0.05, 1.05))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.axhline(1.0, color="tab:green", linestyle=":", label="all tests pass")
    _draw_scores(axes, report)
    tokens = axes.twinx()
    tokens.set_ylabel("tokens so far")
    _draw_tokens(tokens, report)
    axes.legend(loc="lower right")
    return figure


def _draw_scores(axes: Any, report: "Report") -> None:
    numbers = [attempt.index for attempt in report.history]
    scores = [float("nan") if score is None else score for score in report.trajectory]
    axes.plot(numbers, scores, marker="o", color="tab:blue", label="score")
    best = report.best
    if best is not None and best.score is not None:
        label = "best, passed" if report.passed else "best"
        axes.plot([best.index], [best.score], marker="*", markersize=14, ls="none", label=label)
    if 0 < len(numbers) <= _CAUSES:
        for attempt in report.history:
            axes.annotate(
                visible(attempt.cause, 12),
                (attempt.index, -0.04),
                fontsize=6,
                ha="center",
                parse_math=False,
            )


def _draw_tokens(axes: Any, report: "Report") -> None:
    total, totals = 0, list[int]()
    for attempt in report.history:
        total += attempt.usage.tokens
        totals.append(total)
    numbers = [attempt.index for attempt in report.history]
    axes.step(numbers, totals, where="mid", color="tab:gray", alpha=0.6)
