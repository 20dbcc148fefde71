"""Draw mutations by a seed, judge them, and count."""

import random
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.mutation.areas import Area, source_files
from tests.mutation.equivalent import EQUIVALENT
from tests.mutation.judging import Baseline, Copy, Judgement
from tests.mutation.operators import Mutation, mutations

__all__ = ["Drawn", "Score", "copied", "drawn", "score"]


@dataclass(frozen=True, slots=True)
class Drawn:
    """One mutation of one file, its path relative to the root."""

    path: Path
    mutation: Mutation

    @property
    def equivalent(self) -> str | None:
        """Why it changes nothing a caller could see, or None."""
        key = (self.path.name, self.mutation.before, self.mutation.after)
        return EQUIVALENT.get(key)

    def __str__(self) -> str:
        one = self.mutation
        return f"{self.path}:{one.line} [{one.operator}]\n    - {one.before}\n    + {one.after}"


@dataclass(frozen=True, slots=True)
class Score:
    """The count of an area.

    Attributes:
        killed: Mutations that some test failed under.
        survived: Those that no test failed under.
        equivalent: Those drawn that are listed as equivalent, which are not judged.
    """

    killed: int
    survived: tuple[Drawn, ...]
    equivalent: int

    @property
    def share(self) -> float:
        """Killed of those judged, from 0 to 1; 1 when none was."""
        judged = self.killed + len(self.survived)
        return self.killed / judged if judged else 1.0


def drawn(root: Path, area: Area, seed: int, count: int) -> list[Drawn]:
    """Draw mutations of an area's source, each site as likely as any other."""
    found = [
        Drawn(path, mutation)
        for path in source_files(root, area)
        for mutation in mutations((root / path).read_text(encoding="utf-8"))
    ]
    generator = random.Random(f"{seed} {area.name}")  # noqa: S311
    return generator.sample(found, min(count, len(found)))


@contextmanager
def copied(root: Path, keep: Path | None = None) -> Generator[Copy]:
    """A copy of the tree, deleted at the end; `keep` is for results of unmutated tests."""
    # The user nobody must be able to enter it: some tests give up root.
    with tempfile.TemporaryDirectory(prefix="mutation-", ignore_cleanup_errors=True) as name:
        Path(name).chmod(0o755)
        yield Copy(root, Path(name), keep)


def score(
    copy: Copy,
    chosen: list[Drawn],
    baseline: Baseline,
    report: Callable[[Drawn, Judgement], None] = lambda _drawn, _judgement: None,
) -> Score:
    """Judge each mutation and count; `report` is called after each."""
    killed, survived = 0, list[Drawn]()
    judged = [one for one in chosen if one.equivalent is None]
    for one in judged:
        judgement = copy.judge(one.path, one.mutation, baseline)
        report(one, judgement)
        if judgement.killed_by is None:
            survived.append(one)
        else:
            killed += 1
    return Score(killed, tuple(survived), len(chosen) - len(judged))
