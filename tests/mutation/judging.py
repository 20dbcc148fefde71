"""Run tests against a mutated copy of the tree."""

import hashlib
import json
import math
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

from tests.mutation.areas import Area, judging_paths
from tests.mutation.operators import Mutation

__all__ = ["Baseline", "Copy", "Judgement", "judges_of"]

_RAN = (0, 1)  # exit codes of pytest: all tests passed, or some failed
_KILLED_BY_TIME = "took too long"
# Only what the tests use: other installed plugins take most of the time to start.
_PLUGINS = (
    "no:cacheprovider",
    "anyio.pytest_plugin",
    "_hypothesis_pytestplugin",
    "tests.mutation.plugin",
)
_LONGEST = 3600.0  # seconds, of one run of pytest without a mutation
# Under one: as long as its tests take, so many times, and time to start. Load may double it.
_TIMES = 3.0
_TO_START = 180.0


@dataclass(frozen=True, slots=True)
class Baseline:
    """The tests of an area that pass without any mutation.

    Attributes:
        seconds: How long each takes.
        calls: The functions each calls, as "path:line"; empty where code is not traced.
        bound: Seconds of tests that judge a mutation at most, the likely and quick ones first.
    """

    seconds: dict[str, float]
    calls: dict[str, set[str]]
    bound: float = math.inf


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the tests made of a mutation.

    Attributes:
        killed_by: The test that failed; None when the mutation survived.
        tests: How many tests judged it.
    """

    killed_by: str | None
    tests: int


class Copy:
    """A throw-away copy of a tree, in which one mutation stands at a time.

    Args:
        root: The checkout. Files that git does not know are not copied.
        folder: Where the copy is made: an empty folder.
        keep: A folder for results of unmutated tests, for later runs; None keeps none.
    """

    def __init__(self, root: Path, folder: Path, keep: Path | None = None) -> None:
        self.root = folder / "tree"
        self._keep = keep
        if keep is not None:
            keep.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._edits = 0
        for name in _files(root):
            target = self.root / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, target)
        shared = root.parent / "shared"
        if shared.exists():
            (folder / "shared").symlink_to(shared)

    def baseline(self, area: Area) -> Baseline:
        """Run an area's tests once, unmutated; tests that fail or are skipped judge nothing.

        With a folder to keep results in, only the files of tests that are new or changed run.

        Raises:
            RuntimeError: the tests cannot be collected, or none passes.
        """
        seen: dict[str, dict[str, Any]] = {}
        runs = [path for path in judging_paths(self.root, area) if not self._kept(path, area, seen)]
        if runs:
            code, results = self._pytest(
                runs, trace=area.traced, first_failure=False, places=area.places
            )
            if code not in _RAN:
                raise RuntimeError(f"the tests of area {area.name} do not run:\n{self._said()}")
            for path in runs:
                seen[path] = _of_file(path, results)
                if self._keep is not None:
                    kept = self._keep / self._digest(path, area)
                    kept.write_text(json.dumps(seen[path]), encoding="utf-8")
        passed = {
            name: (seconds, found["calls"].get(name, []))
            for found in seen.values()
            for name, seconds in found["seconds"].items()
            if name not in found["failed"]
        }
        if not passed:
            raise RuntimeError(f"no test of area {area.name} passes:\n{self._said()}")
        return Baseline(
            seconds={name: seconds for name, (seconds, _) in passed.items()},
            calls={name: set(calls) for name, (_, calls) in passed.items()},
        )

    def _said(self) -> str:
        return (self._folder / "log.txt").read_text(encoding="utf-8", errors="replace")[-2000:]

    def _kept(self, path: str, area: Area, seen: dict[str, dict[str, Any]]) -> bool:
        file = self._keep / self._digest(path, area) if self._keep is not None else None
        if file is None or not file.exists():
            return False
        seen[path] = json.loads(file.read_text(encoding="utf-8"))
        return True

    def _digest(self, path: str, area: Area) -> str:
        source = (self.root / path).read_text(encoding="utf-8")
        text = f"{area.traced} {area.places} {path} {source}"
        return f"{hashlib.sha256(text.encode()).hexdigest()}.json"

    def judge(self, path: Path, mutation: Mutation, baseline: Baseline) -> Judgement:
        """Put one mutation in place, run the tests that can see it, and take it out again."""
        original = (self.root / path).read_text(encoding="utf-8")
        self._write(path, mutation.source)
        try:
            select = judges_of(path, mutation, baseline)
            return Judgement(self._first_failure(select, baseline), len(select))
        finally:
            self._write(path, original)

    def _first_failure(self, select: Sequence[str], baseline: Baseline) -> str | None:
        paths = list(dict.fromkeys(name.partition("::")[0] for name in select))
        expected = sum(baseline.seconds[name] for name in select)
        code, seen = self._pytest(
            paths,
            trace=False,
            first_failure=True,
            select=select,
            seconds=baseline.seconds,
            limit=_TO_START + _TIMES * expected,
        )
        if code == 0:
            return None
        if seen["failed"]:
            return str(seen["failed"][-1])
        return _KILLED_BY_TIME if seen["hung"] else "the tests could not be collected"

    def _write(self, path: Path, text: str) -> None:
        target = self.root / path
        target.write_text(text, encoding="utf-8")
        # Compiled files are recognised by seconds and size, which two mutations may share.
        self._edits += 1
        when = target.stat().st_mtime + self._edits
        os.utime(target, (when, when))
        for compiled in (target.parent / "__pycache__").glob(f"{target.stem}.*.pyc"):
            compiled.unlink()

    def _pytest(
        self,
        paths: Sequence[str],
        *,
        trace: bool,
        first_failure: bool,
        places: Sequence[str] | None = None,
        select: Sequence[str] | None = None,
        seconds: dict[str, float] | None = None,
        limit: float = _LONGEST,
    ) -> tuple[int, dict[str, Any]]:
        plan, out = self._folder / "plan.json", self._folder / "out.json"
        out.unlink(missing_ok=True)
        fields = {"trace": trace, "places": places, "select": select, "seconds": seconds or {}}
        plan.write_text(json.dumps({**fields, "out": str(out)}), encoding="utf-8")
        plugins = [part for name in _PLUGINS for part in ("-p", name)]
        options = ["-q", *plugins, "-m", "not replay", *(["-x"] if first_failure else [])]
        command = [sys.executable, "-m", "pytest", *options]
        places = [str(self.root / name) for name in ("primitives", "integrations")]
        environment = {
            **{name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"},
            "PYTHONPATH": os.pathsep.join(places),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "MUTATION_PLAN": str(plan),
        }
        with (self._folder / "log.txt").open("wb") as log:
            child = subprocess.Popen(
                [*command, *paths],
                cwd=self.root,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                code = child.wait(limit)
            except subprocess.TimeoutExpired:
                code = -1
            finally:
                _end(child)
        empty: dict[str, Any] = {"seconds": {}, "calls": {}, "failed": [], "hung": not out.exists()}
        if out.exists():
            empty.update(json.loads(out.read_text(encoding="utf-8")))
        return code, empty


def judges_of(path: Path, mutation: Mutation, baseline: Baseline) -> list[str]:
    """The tests that can see a mutation: likely killers first, then the quick before the slow."""
    called = f"{path.as_posix()}:{mutation.function}"
    select = [name for name in baseline.seconds if called in baseline.calls.get(name, ())]
    if not select:  # runs on import, or in another process: any test may see it
        select = list(baseline.seconds)
    stem = path.stem.strip("_")

    def order(name: str) -> tuple[bool, float]:
        mirrored = stem in Path(name.partition("::")[0]).stem
        near = any(called.startswith(f"{path}:") for called in baseline.calls.get(name, ()))
        return not (mirrored or near), baseline.seconds[name]

    ordered = sorted(select, key=order)
    sums = accumulate(baseline.seconds[name] for name in ordered)
    return [name for name, so_far in zip(ordered, sums, strict=True) if so_far <= baseline.bound]


def _of_file(path: str, results: dict[str, Any]) -> dict[str, Any]:
    def inside(name: str) -> bool:
        return name.partition("::")[0] == path

    return {
        "seconds": {name: value for name, value in results["seconds"].items() if inside(name)},
        "calls": {name: value for name, value in results["calls"].items() if inside(name)},
        "failed": [name for name in results["failed"] if inside(name)],
    }


def _files(root: Path) -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],  # noqa: S607
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    return [name for name in listed.stdout.split("\0") if name and (root / name).is_file()]


def _end(child: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
