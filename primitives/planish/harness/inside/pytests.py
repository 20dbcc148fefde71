"""A pytest file: pytest runs it, a plugin reports."""

from __future__ import annotations

import sys

from .bounds import VALUE
from .guard import is_a
from .place import HOME
from .record import Recorder
from .show import show
from .sources import SOURCES, show_sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .channel import Put
    from .failure import Witness
    from .judge import Judge

__all__ = ["run_pytest"]

_OPERATORS = {
    "==": "Eq",
    "!=": "NotEq",
    "<": "Lt",
    "<=": "LtE",
    ">": "Gt",
    ">=": "GtE",
    "is": "Is",
    "is not": "IsNot",
    "in": "In",
    "not in": "NotIn",
}


def run_pytest(plan: dict[str, Any], judge: Judge, put: Put, witness: Witness) -> None:
    """Run pytest on the test file.

    Args:
        plan: "test_file": its name; "name": of the module that the candidate is.
        judge: Has the candidate.
        put: Where results go.
        witness: Told of everything that is raised.
    """
    try:
        import pytest  # noqa: PLC0415  # the sandbox may not have it
    except ImportError as error:
        put("unsupported", message=str(error), python=sys.version.split()[0])
        return
    SOURCES[plan["test_file"]] = SOURCES[f"{HOME}/{plan['test_file']}"] = plan["tests"]
    show_sources()
    sys.dont_write_bytecode = True  # it would hold the tests
    judge.offer(plan["name"], lambda: _hide(plan["test_file"]))
    options = [
        "-q",
        "--noconftest",
        "--no-header",
        "--tb=short",
        "--color=no",
        "-p",
        "no:cacheprovider",
    ]
    where = ["-c", "pytest.ini", "--rootdir", "."]
    pytest.main([*options, *where, plan["test_file"]], plugins=[_Plugin(put, witness)])


def _hide(file: str) -> None:
    """Empty the file. It has been read, or the candidate would not be asked for."""
    with open(f"{HOME}/{file}", "w", encoding="utf-8"):  # noqa: PTH123  # pathlib costs 10 ms
        return


class _Plugin:
    """Puts on record what pytest tells its plugins."""

    def __init__(self, put: Put, witness: Witness) -> None:
        self.put = put
        self.witness = witness
        self.recorder = Recorder(put, witness)
        self.over: set[str] = set()
        self.compared: dict[str, str] = {}

    def pytest_collection_finish(self, session: Any) -> None:
        for item in session.items:
            self.put("collected", name=item.nodeid, line=(item.location[1] or 0) + 1)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.compared = {}
        self.recorder.begin(nodeid)

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.outcome == "skipped":
            self.over.add(report.nodeid)
            self.put("skipped", test=report.nodeid, message=_why(report))
        elif report.outcome == "failed" and isinstance(report.longrepr, str):
            self.over.add(report.nodeid)  # it passed, and was strictly expected to fail
            error = AssertionError(report.longrepr)
            self.put("raised", test=report.nodeid, **self.witness.raised(error))
        elif report.when == "teardown" and report.nodeid not in self.over and report.passed:
            self.recorder.passed()

    def pytest_exception_interact(self, call: Any, report: Any) -> None:
        """A test, its setup or teardown, or the collection of the file has raised."""
        error = call.excinfo.value
        if report.when == "collect":  # pytest wraps what importing the file raised
            self.put("collection", **self.witness.raised(error.__cause__ or error))
            return
        facts = self.witness.raised(error)
        if report.nodeid not in self.over:
            self.put("raised", test=report.nodeid, **facts)
            if self.compared and is_a(error, AssertionError):
                self.put("values", test=report.nodeid, line=facts["line"], **self.compared)
        self.over.add(report.nodeid)

    def pytest_internalerror(self, excinfo: Any) -> None:
        self.put("collection", **self.witness.raised(excinfo.value))

    def pytest_assertrepr_compare(self, op: str, left: Any, right: Any) -> None:
        sides = {"left": show(left, VALUE)[0], "right": show(right, VALUE)[0]}
        self.compared = {"operator": _OPERATORS.get(op, "Eq"), **sides}


def _why(report: Any) -> str:
    if hasattr(report, "wasxfail"):
        return str(report.wasxfail or "expected to fail")
    return str(report.longrepr[2])  # after file and line
