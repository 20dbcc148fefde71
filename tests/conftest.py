"""What all tests share: both event loops, and the recorded material where it is present."""

import gc
import os
import signal
import sys
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeGuard

import pytest
import structlog

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared" / "data"


BACKENDS = ("asyncio", "trio")
SPREAD = tuple(
    str(ROOT / "tests" / name)
    for name in ("integrations", "testing", "guest", "benchmarks", "verification", "feedback")
)
"""Folders whose cases run on one of the event loops each, in turn: the loop is not their subject.

The laws, the primitives and what is named after cancellation, or marked both_loops, run on both.
"""

ONE_IN = 3
"""Where all tests run, one case in so many runs of each test that has as many, but in WHOLE.

Many are the same for several sandboxes, protocols or kinds of tests: each of these is drawn by some
tests. All cases of a test run where its file or folder is named, and with `--cases=all`.
"""

WHOLE = tuple(str(ROOT / "tests" / name) for name in ("house", "laws"))
"""Folders whose cases all run: each is a law, a file, a page of the docs or an example."""

ATTACKS = tuple(
    str(ROOT / "tests" / name)
    for name in ("forging", "honesty", "integrations/sandboxes/local/abuse")
)
"""Folders whose tests are marked attack: programs that try to get out, to deceive or to stay."""

ATTACK_FILES = ("test_attacks.py", "test_storm.py", "test_tricks.py")
"""Names of files whose tests are marked so too."""

ON_REQUEST = {
    "attack": "pytest -m 'attack or replay'",
    "replay": "pytest -m 'attack or replay'",
    "types": "pytest -m types",
    "benchmark": "pytest -m benchmark",
    "clock": "pytest -m clock",
    "long": "pytest -m long",
    "mutation": "pytest -m mutation --mutation-seed 1",
}
"""Marks of tests that a run of all tests leaves out, with the command that runs them.

What is marked attack, replay or types also runs where its file or folder is named.
"""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the mutation run, tests/mutation, and of the cases that run."""
    help_text = "event loops of a case: both; one, in turn; enough: both where that is the subject"
    parser.addoption("--loops", choices=["both", "one", "enough"], default="enough", help=help_text)
    help_text = (
        f"cases of a test: all, as where a file is named; few: one in {ONE_IN}, as elsewhere"
    )
    parser.addoption("--cases", choices=["all", "few"], help=help_text)
    group = parser.getgroup("mutation", "the mutation run, pytest -m mutation")
    group.addoption("--mutation-seed", type=int, default=0, help="what mutations are drawn by")
    group.addoption("--mutation-count", type=int, default=20, help="mutations of each area")


def pytest_configure(config: pytest.Config) -> None:
    """Refuse several workers for tests that run alone: they would leave out every one of them."""
    asked = config.getoption("markexpr")
    if asked in {"benchmark", "clock"} and config.getoption("numprocesses", None):
        raise pytest.UsageError(f"pytest -m {asked} runs alone: without -n")
    gc.disable()  # until all is collected: what is collected stays
    _heed_interrupts()
    if config.pluginmanager.hasplugin("hypothesispytest"):
        _judge_no_example_by_the_clock()


def _heed_interrupts() -> None:
    """Handle the signals that shells and nohup make background jobs and their children ignore."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGQUIT, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def pytest_report_header(config: pytest.Config) -> str | None:
    """Name the marks that this run leaves out: workers do not report what they deselect."""
    left = _left_out(config, beside=bool(config.getoption("numprocesses", None)))
    commands = ", ".join(dict.fromkeys(ON_REQUEST[mark] for mark in left))
    return f"left out, with commands of their own: {commands}" if left else None


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Skip files with no test that runs now: to import all files takes seconds in every worker."""
    if not collection_path.name.startswith("test_"):
        return None
    asked = (config.getoption("markexpr") or "").split(" or ")
    attack = _is_attack(collection_path)
    if not {*asked} <= ON_REQUEST.keys():
        return True if attack and "attack" in _left_out(config, beside=False) else None
    text = collection_path.read_text(encoding="utf-8")
    runs = any(f"mark.{mark}" in text for mark in asked) or (attack and "attack" in asked)
    return None if runs or "long" in asked else True


def _is_attack(path: Path) -> bool:
    return str(path).startswith(ATTACKS) or path.name in ATTACK_FILES


@pytest.hookimpl(tryfirst=True)  # before `-m` selects by marks
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect what runs alone, or on request only; put long replays first.

    Tests that depend on a clock run in a single process, benchmarks with `-m benchmark`, and
    what is marked long with `-m long`: a smaller version of each always runs. A replay takes long:
    begun last, it would run on when nothing else is left.
    """
    _mark_long_but_some(config, items)
    for item in items:
        _check_clock_marks(item)
        if " at 0x" in item.nodeid:
            raise pytest.UsageError(f"{item.nodeid}: each worker has another address; name it")
        if _is_attack(item.path):
            item.add_marker("attack")
    left = _left_out(config, beside=hasattr(config, "workerinput"))
    removed = {item for item in items if any(map(item.get_closest_marker, left))}
    loops = config.getoption("--loops")
    if loops != "both" and not any("::" in one for one in config.args):
        removed |= set(_on_the_other_loop(items, everywhere=loops == "one"))
    config.hook.pytest_deselected(items=[item for item in items if item in removed])
    items[:] = [item for item in items if item not in removed]
    items.sort(key=lambda item: "replay" not in item.keywords)


def pytest_collection_finish() -> None:
    """Collect garbage again, from here on."""
    gc.enable()


def _left_out(config: pytest.Config, *, beside: bool) -> list[str]:
    """Return the marks whose tests do not run now; `beside`: in one of several workers."""
    asked: str = config.getoption("markexpr") or ""
    named = _named(config)
    runs = {
        "attack": named or "attack" in asked or "long" in asked,
        "replay": named or "replay" in asked or "long" in asked,
        "types": named or "types" in asked,
        "benchmark": asked == "benchmark" and not beside,
        "clock": not beside,
        "long": "long" in asked,
        "mutation": asked == "mutation",
    }
    return [mark for mark in ON_REQUEST if not runs[mark]]


def _mark_long_but_some(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark long what is left of the cases of a test of which one in n runs: n - 1 of n cases."""
    cases: defaultdict[str, defaultdict[str, list[pytest.Item]]]
    cases = defaultdict(lambda: defaultdict(list))
    for item in items:
        test, case = _test_and_case(item)
        cases[test][case].append(item)
    for test, named in cases.items():
        first = next(iter(named.values()))[0]
        mark = first.get_closest_marker("one_in")
        count: int = mark.args[0] if mark else _share(config, first, len(named))
        for number, same in enumerate(named.values()):
            if count > 1 and (_digit_sum(number, count) + zlib.crc32(test.encode())) % count:
                for item in same:
                    item.add_marker("long")


def _digit_sum(number: int, base: int) -> int:
    """Return the sum of a number's digits.

    Cases are often made of several lists. Drawn by this sum, each row begins with another case.
    """
    return number if number < base else number % base + _digit_sum(number // base, base)


def _share(config: pytest.Config, item: pytest.Item, cases: int) -> int:
    """Return n if one in n cases of a test runs, which is not marked one_in."""
    wanted = config.getoption("--cases") or ("all" if _named(config) else "few")
    whole = ("both_loops", "attack", "replay", "clock", "benchmark")
    if (
        cases < ONE_IN
        or wanted == "all"
        or str(item.path).startswith(WHOLE)
        or "cancel" in item.name
        or _is_attack(item.path)
        or any(map(item.get_closest_marker, whole))
    ):
        return 1
    return ONE_IN


def _named(config: pytest.Config) -> bool:
    """Return whether files or folders of tests are named."""
    return any(Path(config.invocation_params.dir, one) != ROOT / "tests" for one in config.args)


def _test_and_case(item: pytest.Item) -> tuple[str, str]:
    """Return the name of a test and that of its case, without the event loop."""
    test, _, case = item.nodeid.partition("[")
    return test, "-".join(part for part in case.rstrip("]").split("-") if part not in BACKENDS)


def _on_the_other_loop(items: list[pytest.Item], *, everywhere: bool) -> Iterator[pytest.Item]:
    """Yield what runs on one event loop and is for the other: the cases of a test take turns.

    A case that has one event loop only is for that one.
    """
    cases: defaultdict[str, defaultdict[str, dict[str, pytest.Item]]]
    cases = defaultdict(lambda: defaultdict(dict))
    for item in items:
        backend = item.callspec.params.get("anyio_backend") if _parametrised(item) else None
        if backend not in BACKENDS or not (everywhere or str(item.path).startswith(SPREAD)):
            continue
        if "cancel" in item.name or item.get_closest_marker("both_loops"):
            continue
        test, case = _test_and_case(item)
        cases[test][case][backend] = item
    for test, named in cases.items():
        for turn, loops in enumerate(named.values(), zlib.crc32(test.encode())):
            if len(loops) == len(BACKENDS):
                yield loops[BACKENDS[1 - turn % 2]]


def _parametrised(item: pytest.Item) -> TypeGuard[pytest.Function]:
    return isinstance(item, pytest.Function) and hasattr(item, "callspec")


def _judge_no_example_by_the_clock() -> None:
    """Take from hypothesis its limit of 200 ms per example, which other load can pass."""
    from hypothesis import HealthCheck, settings  # noqa: PLC0415 - not every environment has it

    slow = [HealthCheck.too_slow]
    settings.register_profile("planish", deadline=None, suppress_health_check=slow)
    settings.load_profile("planish")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Name a failed test at once: the summary comes after a quarter of an hour."""
    if report.failed and "PYTEST_XDIST_WORKER" not in os.environ and sys.__stderr__ is not None:
        sys.__stderr__.write(f"\nfailed: {report.nodeid} ({report.when})\n")


def _check_clock_marks(item: pytest.Item) -> None:
    for mark in item.iter_markers("clock"):
        if not mark.kwargs.get("reason"):
            raise pytest.UsageError(f"{item.nodeid}: @pytest.mark.clock(reason=...) says why")


@pytest.fixture(params=BACKENDS)
def anyio_backend(request: pytest.FixtureRequest) -> str:
    """Run tests marked anyio on the event loops, on both where the loop matters."""
    name: str = request.param
    return name


@pytest.fixture(autouse=True)
def structlog_as_it_was() -> Iterator[None]:
    """What configures structlog, if only to listen, leaves it configured: no test is to."""
    yield
    structlog.reset_defaults()


@pytest.fixture
def shared_data() -> Callable[[str], Path]:
    """The path of a piece of recorded material; skips the test where it is absent."""

    def find(name: str) -> Path:
        path = SHARED / name
        if not path.exists():
            pytest.skip(f"recorded material {name!r} is not beside this checkout")
        return path

    return find


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Handle SIGINT as a shell's foreground command does, also where pytest ignores it.

    A command in the background of a script starts with SIGINT ignored, and so do its children.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
