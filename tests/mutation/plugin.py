"""A pytest plugin: select and order tests, note what each one calls, end a test that hangs.

Loaded by `-p tests.mutation.plugin` in the copy; its plan is the JSON file MUTATION_PLAN names.
"""

import faulthandler
import json
import os
import sys
import threading
import time
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

__all__ = ["pytest_collection_modifyitems", "pytest_runtest_protocol", "pytest_sessionfinish"]

# That any test may take under a mutation, beside five times its own duration.
_SECONDS = float(os.environ.get("MUTATION_SECONDS", "60"))

_plan: dict[str, Any] = json.loads(Path(os.environ["MUTATION_PLAN"]).read_text(encoding="utf-8"))
_root = f"{Path.cwd()}/"
_seconds: dict[str, float] = {}
_calls: dict[str, list[str]] = {}
_called: set[str] = set()
_keys: dict[object, str | None] = {}
_failed: list[str] = []


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the tests of the plan, in its order; without an order, all in the plan's places."""
    if _plan["select"] is None:
        items[:] = [item for item in items if _is_in_places(item)]
        return
    place = {name: number for number, name in enumerate(_plan["select"])}
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in place])
    items[:] = sorted(
        (item for item in items if item.nodeid in place), key=lambda item: place[item.nodeid]
    )


def _is_in_places(item: pytest.Item) -> bool:
    parameters: dict[str, object] = getattr(getattr(item, "callspec", None), "params", {})
    place = parameters.get("place")
    return place is None or _plan["places"] is None or str(place) in _plan["places"]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool:
    """Run one test and watch its calls when the plan is to trace, else its time.

    Without tracing, a test that fails runs once more, and the second time counts: other load on
    the machine must not look like a mutation that is noticed.
    """
    began = time.perf_counter()
    ihook = item.ihook
    ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    if _plan["trace"]:
        _called.clear()
        threading.settrace(_trace)
        sys.settrace(_trace)
    else:
        limit = 2 * (_SECONDS + 5 * _plan["seconds"].get(item.nodeid, 0.0))
        faulthandler.dump_traceback_later(limit, exit=True)
    try:
        reports = runtestprotocol(item, nextitem=nextitem, log=False)
        if not _plan["trace"] and any(report.failed for report in reports):
            item._initrequest()  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
            reports = runtestprotocol(item, nextitem=nextitem, log=False)
    finally:
        sys.settrace(None)
        threading.settrace(None)
        faulthandler.cancel_dump_traceback_later()
        _seconds[item.nodeid] = time.perf_counter() - began
        _calls[item.nodeid] = sorted(_called)
    for report in reports:
        ihook.pytest_runtest_logreport(report=report)
    ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note failures, of fixtures too; what is skipped judges nothing."""
    if report.failed or report.skipped:
        _failed.append(report.nodeid)


def pytest_sessionfinish() -> None:
    """Write what was seen."""
    seen = {"seconds": _seconds, "calls": _calls, "failed": _failed}
    Path(_plan["out"]).write_text(json.dumps(seen), encoding="utf-8")


def _trace(frame: FrameType, _event: str, _argument: object) -> None:
    code = frame.f_code
    if code not in _keys:
        name = code.co_filename
        inside = name.startswith(_root) and "/tests/" not in name.removeprefix(_root)
        _keys[code] = f"{name.removeprefix(_root)}:{code.co_firstlineno}" if inside else None
    key = _keys[code]
    if key is not None:
        _called.add(key)
