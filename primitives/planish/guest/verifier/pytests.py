"""Run a pytest file with a plugin that records the results."""

from __future__ import annotations

import sys
from os import environ

from .bounds import VALUE
from .evidence import names_in
from .failure import is_of_pytest
from .frozen import FrozenFiles, frozen_module
from .guard import PRIVATE, is_a, name_of
from .packages import imported_as, is_of_library
from .place import home
from .record import Recorder
from .render import far_of
from .show import show_sides
from .sources import SOURCES, show_sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator
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
_OPTIONS = (
    *("-q", "--noconftest", "--no-header", "--tb=short", "--color=no"),
    *("-p", "no:cacheprovider", "-c", "pytest.ini", "--rootdir", "."),
)


def run_pytest(plan: dict[str, Any], judge: Judge, put: Put, witness: Witness) -> None:
    """Run pytest on the test files.

    No plugin is loaded but those that the tests ask for: what is installed beside pytest would
    take seconds to load, and change what tests do.

    Args:
        plan: "test_file": the name of the first; "tests": the texts of all, by path; "plugins":
            names of plugins; "name": of the module that the candidate is.
        judge: Has the candidate.
        put: Where results go.
        witness: Called with everything that is raised.
    """
    environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    try:
        import pytest  # noqa: PLC0415  # the sandbox may not have it
    except ImportError as error:
        put("unsupported", message=str(error), python=sys.version.split()[0])
        return
    if not all(path.endswith(".py") for path in plan["tests"]):
        judge.evidence.weakened("the tests come with data files, which the code can write")
    frozen = FrozenFiles(plan["tests"])
    SOURCES.update(plan["tests"])
    show_sources()
    sys.dont_write_bytecode = True  # it would hold the tests
    judge.offer(plan["name"], lambda: _hide(plan["tests"]))
    inside = plan["name"] + "."  # its modules are asked before it, which makes it a package
    for name in reversed(plan["modules"]):
        if name.startswith(inside):
            judge.offer(name, lambda: _hide(plan["tests"]))
    for name in plan["modules"]:  # the deepest is asked first
        if not name.startswith(inside):
            judge.offer(name, lambda: _hide(plan["tests"]), last=True)
    finder: Any = frozen
    sys.meta_path.insert(0, finder)
    judge.hide(frozen.paths)
    asked = [option for plugin in plan["plugins"] for option in ("-p", plugin)]
    first = plan["test_file"]
    files = [first, *(path for path in frozen.tests() if path != first)]
    plugin = _plugin(pytest, frozen, judge, Recorder(put, witness, judge.evidence))
    status = int(pytest.main([*_OPTIONS, *asked, *files], plugins=[plugin]))
    if status and plugin.items:  # after tests that have passed, a hook may have set it
        put("setup", **witness.failed("ExitCode", f"pytest ended with exit code {status}"))


def _hide(files: dict[str, str]) -> None:
    """Empty the test files. They have been read, and the candidate is about to run."""
    for path in files:
        if path.endswith(".py"):
            with open(f"{home()}/{path}", "w", encoding="utf-8"):  # noqa: PTH123  # pathlib is slow
                continue


def _plugin(pytest: Any, frozen: FrozenFiles, judge: Judge, recorder: Recorder) -> Any:
    """Make a plugin whose hooks run before those of others where that matters."""
    kind: Any = _Plugin
    for name in ("pytest_pycollect_makemodule", "pytest_configure"):
        setattr(kind, name, pytest.hookimpl(tryfirst=True)(getattr(kind, name)))
    for name in ("pytest_fixture_setup", "pytest_sessionfinish"):
        setattr(kind, name, pytest.hookimpl(wrapper=True, tryfirst=True)(getattr(kind, name)))
    return _Plugin(pytest, frozen, judge, recorder)


class _Plugin:
    """Give pytest the frozen files, and record the results that it reports."""

    def __init__(self, pytest: Any, frozen: FrozenFiles, judge: Judge, recorder: Recorder) -> None:
        self.put = recorder.put
        self.witness = recorder.witness
        self.evidence = recorder.evidence
        self.recorder = recorder
        self.frozen = frozen
        self.judge = judge
        self.over: set[str] = set()
        self.failures: dict[str, BaseException] = {}  # of tests that are not over
        self.compared: dict[str, str] = {}
        self.items: dict[str, Any] = {}
        self.marks: dict[str, str] = {}  # of parameters, by the node that has them
        self.fixtures: set[str] = set()  # those that use the candidate
        self.imports = False  # what the files run when they are imported uses it
        self.module: Any = frozen_module(pytest, self)
        self.no_fixture: type[BaseException] = pytest.FixtureLookupError

    def pytest_configure(self, config: Any) -> None:
        self.frozen.config = config
        for path in self.frozen.files:
            if path.rpartition("/")[2] == "conftest.py":
                found = self.frozen.load(path)
                self.evidence.note_called(found.__dict__)
                config.pluginmanager.register(found, path)

    def pytest_pycollect_makemodule(self, module_path: Any, parent: Any) -> Any:
        return self.module.from_parent(parent, path=module_path)

    def pytest_fixture_setup(self, fixturedef: Any) -> Generator[None, Any, Any]:
        uses = self.evidence.uses
        self.evidence.watch()
        result = yield
        code = getattr(fixturedef.func, "__code__", None)
        names: set[str] = set() if code is None else names_in(code)
        named = self.evidence.by_names and not names.isdisjoint(self.evidence.derived)
        if self.evidence.uses > uses or named:
            self.fixtures.add(fixturedef.argname)
        return result

    def pytest_collection_finish(self, session: Any) -> None:
        for item in session.items:
            self.items[item.nodeid] = item
            call = getattr(item, "callspec", None)
            for mark in () if _lacks_values(call) else getattr(call, "marks", ()):
                self.marks[item.nodeid] = "skip" if mark.name == "skipif" else str(mark.name)
            self.put("collected", node=item.nodeid, line=(item.location[1] or 0) + 1)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.compared = {}
        item = self.items.get(nodeid)
        self.evidence.note_test(getattr(item, "obj", None), getattr(item, "cls", None))
        self.recorder.begin(nodeid)

    def pytest_runtest_makereport(self, item: Any, call: Any) -> None:
        if call.excinfo is not None:
            self.failures[item.nodeid] = call.excinfo.value

    def pytest_runtest_logreport(self, report: Any) -> None:
        failure = self.failures.pop(report.nodeid, None) if report.when == "teardown" else None
        if report.outcome == "skipped":
            self.over.add(report.nodeid)
            mark = self.marks.get(report.nodeid, "")
            expected = hasattr(report, "wasxfail")
            if not _is_marked(self.items.get(report.nodeid), expected=expected):
                expected, self.recorder.uses = False, -1  # by what has run, not by a mark
            self.recorder.skipped(_why(report), expected=expected, mark=mark)
        elif report.outcome == "failed" and isinstance(report.longrepr, str):
            self.over.add(report.nodeid)  # it passed, and was strictly expected to fail
            error = AssertionError(report.longrepr)
            self.put("raised", test=report.nodeid, **self.witness.raised(error))
        elif report.when == "teardown" and report.nodeid not in self.over and report.passed:
            # Of `bdb.BdbQuit` pytest reports that the test has failed, and calls no hook.
            if failure is not None:
                self.recorder.raised(failure)
            else:
                self.recorder.passed(relies=self._relies(self.items.get(report.nodeid)))

    def _relies(self, item: Any) -> bool:
        """Tell whether a test uses what its files or fixtures have made with the candidate."""
        if self.imports or self.fixtures.intersection(getattr(item, "fixturenames", ())):
            return True
        code = getattr(getattr(item, "obj", None), "__code__", None)
        space = getattr(getattr(item, "obj", None), "__globals__", {})
        return code is not None and self.evidence.relies_on(names_in(code), space)

    def note_replaced(self, path: str, names: set[str], found: Any) -> None:
        """Put on record what `*` has put in place of something that is not the candidate's.

        Not where the file names nothing else of the candidate's: then that is what it tests.

        Args:
            path: Of the file.
            names: What the candidate has.
            found: The file's module.
        """
        module = self.judge.plan["name"]
        space: dict[str, Any] = found.__dict__
        shadowed, used = self.frozen.names_replaced(path, module)
        imported = imported_as(self.frozen.files[path])
        replaced = {
            one
            for one in shadowed & names
            if not self._is_genuine(one, space[one], imported.get(one, space))
        }
        if used & names - replaced or replaced - used:
            for one in sorted(replaced):
                self.evidence.weakened(f"the tests use {one!r}, which the code has replaced")

    def _is_genuine(self, name: str, value: Any, imported: Any) -> bool:
        """Tell whether a value is what Python or a library has by this name.

        Or what the file has imported by it.
        """
        if name in PRIVATE:
            return value is PRIVATE[name]
        found = is_of_library(value, self.judge.plan["name"])
        own = getattr(value, "__name__", "").rpartition(".")[2] == name
        return found and (own or value is imported)

    def pytest_exception_interact(self, call: Any, report: Any) -> None:
        """Record that a test, its setup or teardown, or the collection of the file has raised."""
        error = call.excinfo.value
        if report.when == "collect":  # pytest wraps what importing the file raised
            self._broken(error.__cause__ or error)
            return
        of_pytest = is_of_pytest(error)
        if of_pytest or (is_a(error, self.no_fixture) and far_of(error) is None):
            self.put("broken_tests", name=name_of(error), message=str(error)[:VALUE])
        facts = self.witness.raised(error)
        facts["failed"] = facts["failed"] and not of_pytest  # no value is wrong
        if report.nodeid not in self.over:
            self.put("raised", test=report.nodeid, **facts)
            if self.compared and is_a(error, AssertionError):
                self.put("values", test=report.nodeid, line=facts["line"], **self.compared)
        self.over.add(report.nodeid)

    def _broken(self, error: BaseException) -> None:
        facts = self.witness.raised(error)
        if is_of_pytest(error) or self.judge.is_of_tests(error):
            self.put("broken_tests", name=facts["name"], message=facts["message"])
        self.put("collection", **facts)

    def pytest_keyboard_interrupt(self, excinfo: Any) -> None:
        """Record that something has ended the session, as `pytest.exit` with any exit code."""
        self.put("setup", **self.witness.raised(excinfo.value))

    def pytest_sessionfinish(self) -> Generator[None, Any, Any]:
        """Record what the last hooks raise: pytest takes `pytest.exit` for an end without fault."""
        try:
            return (yield)
        except BaseException as error:
            self.put("setup", **self.witness.raised(error))
            raise

    def pytest_internalerror(self, excinfo: Any) -> None:
        self.put("collection", **self.witness.raised(excinfo.value))

    def pytest_assertrepr_compare(self, op: str, left: Any, right: Any) -> None:
        first, second = show_sides(left, right, VALUE)
        self.compared = {"operator": _OPERATORS.get(op, "Eq"), "left": first, "right": second}


def _lacks_values(call: Any) -> bool:
    """Tell whether there are no values for a test's parameters, for which pytest marks it.

    The candidate may have given none.
    """
    return any(name_of(value) == "NotSetType" for value in getattr(call, "params", {}).values())


def _is_marked(item: Any, *, expected: bool) -> bool:
    """Tell whether a mark skips a test, or expects it to fail."""
    from _pytest import skipping  # noqa: PLC0415

    marks = (skipping.evaluate_xfail_marks if expected else skipping.evaluate_skip_marks)(item)
    name = f"__unittest_{'expecting_failure' if expected else 'skip'}__"
    places = (getattr(item, "obj", None), getattr(item, "cls", None))
    return marks is not None or any(getattr(place, name, False) for place in places)


def _why(report: Any) -> str:
    if hasattr(report, "wasxfail"):
        return str(report.wasxfail or "expected to fail")
    return str(report.longrepr[2])  # after file and line
