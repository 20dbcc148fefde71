"""A weak test leaves a survivor, a strong one none, and a mutation that hangs is killed."""

import subprocess
from pathlib import Path

import pytest
from tests.integrations.sandboxes.places import PLACES
from tests.mutation import areas, equivalent, judging
from tests.mutation.areas import (
    AREAS,
    SOURCES,
    Area,
    area_named,
    area_of,
    judging_paths,
    source_files,
)
from tests.mutation.judging import Baseline, Copy, judges_of
from tests.mutation.operators import Mutation, mutations
from tests.mutation.run import Drawn, drawn, score

ROOT = Path(__file__).resolve().parents[2]
SOURCE = """\
def count(most: int) -> int:
    number = 0
    while number < most:
        number += 1
    return number
"""
HEAD = "from planish.data.counting import count\n\n\n"
WEAK = f"{HEAD}def test_it_counts() -> None:\n    assert count(3) >= 0\n"
STRONG = f"{HEAD}def test_it_counts() -> None:\n    assert count(3) == 3\n"
AREA = area_named("data")
FILE = Path("primitives/planish/data/counting.py")


def planted(tmp_path: Path, test: str) -> Copy:
    """A copy of a tree with one module and one test."""
    root, folder = tmp_path / "root", tmp_path / "copy"
    packages = {f"primitives/planish/{name}__init__.py": "" for name in ("", "data/")}
    texts = packages | {
        str(FILE): SOURCE,
        "tests/data/test_counting.py": test,
        "pytest.ini": "[pytest]",
    }
    for name, text in texts.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    plugin = root / "tests" / "mutation" / "plugin.py"
    plugin.parent.mkdir()
    plugin.write_bytes((ROOT / "tests" / "mutation" / "plugin.py").read_bytes())
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)  # noqa: S607
    return Copy(root, folder)


def of_planted(after: str) -> Mutation:
    return next(one for one in mutations(SOURCE) if one.after == after)


def test_a_weak_test_leaves_a_survivor_and_a_mutation_that_hangs_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MUTATION_SECONDS", "1")
    copy = planted(tmp_path, WEAK)
    hangs = next(one for one in mutations(SOURCE) if (one.line, one.after) == (4, "pass"))
    baseline = copy.baseline(AREA)
    survives = Drawn(FILE, of_planted("while number <= most:"))
    result = score(copy, [survives, Drawn(FILE, hangs)], baseline)
    assert (result.killed, result.survived, result.share) == (1, (survives,), 0.5)


def test_a_run_that_takes_too_long_as_a_whole_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judging, "_TO_START", 3.0)
    copy = planted(tmp_path, STRONG)
    hangs = next(one for one in mutations(SOURCE) if (one.line, one.after) == (4, "pass"))
    assert copy.judge(FILE, hangs, copy.baseline(AREA)).killed_by == "took too long"


def test_a_strong_test_kills_and_only_tests_that_call_the_function_judge(tmp_path: Path) -> None:
    other = f"{STRONG}\n\ndef test_something_else() -> None:\n    assert HEAD\n\n\nHEAD = 1\n"
    copy = planted(tmp_path, other)
    baseline = copy.baseline(AREA)
    assert len(baseline.seconds) == 2
    judgement = copy.judge(FILE, of_planted("while number <= most:"), baseline)
    assert judgement.tests == 1
    assert judgement.killed_by == "tests/data/test_counting.py::test_it_counts"
    assert (copy.root / FILE).read_text(encoding="utf-8") == SOURCE


def test_a_bound_leaves_out_the_slow_tests_that_are_not_likely_to_notice() -> None:
    mirrored, quick, slow = "tests/test_counting.py::a", "tests/test_a.py::b", "tests/test_a.py::c"
    seconds = {slow: 3.0, quick: 1.0, mirrored: 2.0}
    mutation = of_planted("while number <= most:")
    bounded = [judges_of(FILE, mutation, Baseline(seconds, {}, bound=most)) for most in (6, 5)]
    assert bounded == [[mirrored, quick, slow], [mirrored, quick]]


def test_what_runs_in_other_places_does_not_judge(tmp_path: Path) -> None:
    places = f"""import pytest
{HEAD}@pytest.mark.parametrize("place", ["here", "there"])
def test_in(place: str) -> None:
    assert place


def test_anywhere() -> None:
    assert count(3) == 3
"""
    copy = planted(tmp_path, places)
    here = Area("here", (), also=("data",), places=("here",))
    assert len(copy.baseline(AREA).seconds) == 3
    seen = [name.partition("::")[2] for name in copy.baseline(here).seconds]
    assert seen == ["test_in[here]", "test_anywhere"]


def test_every_place_of_an_area_exists() -> None:
    known = {place.name for place in PLACES}
    assert {name for area in AREAS for name in area.places or ()} == known


def test_an_area_without_a_test_that_passes_has_no_score(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="no test of area data passes"):
        planted(tmp_path, WEAK.replace(">= 0", "== 0")).baseline(AREA)


def test_a_listed_mutation_is_not_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = planted(tmp_path, WEAK)
    mutation = of_planted("while number <= most:")
    key = (FILE.name, mutation.before, mutation.after)
    monkeypatch.setattr("tests.mutation.run.EQUIVALENT", {key: "for this test"})
    result = score(copy, [Drawn(FILE, mutation)], Baseline({}, {}))
    assert (result.killed, result.survived, result.equivalent) == (0, (), 1)


def test_a_seed_draws_the_same_mutations_again() -> None:
    area = area_named("unsafe")  # the smallest
    texts = [[str(one) for one in drawn(ROOT, area, seed, 5)] for seed in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]


def test_every_area_has_source_and_tests() -> None:
    assert [area.name for area in AREAS if not source_files(ROOT, area)] == []
    assert [area.name for area in AREAS if not judging_paths(ROOT, area)] == []


def test_every_test_of_a_sandbox_judges_an_area() -> None:
    judges = {path for area in AREAS for path in judging_paths(ROOT, area)}
    files = (ROOT / "tests/integrations/sandboxes").rglob("test_*.py")
    assert {path.relative_to(ROOT).as_posix() for path in files} <= judges


def test_every_folder_of_source_belongs_to_an_area() -> None:
    files = [path.relative_to(ROOT) for name in SOURCES for path in (ROOT / name).rglob("*.py")]
    left = {path for path in files if area_of(path) is None}
    # Short import paths, which only forward.
    assert {path.parent.name for path in left} <= {"planish_integrations", "sandboxes"}
    assert areas.area_of(Path("tests/data/test_task.py")) is None


def test_every_equivalent_mutation_exists_and_has_a_reason() -> None:
    lines: dict[str, set[str]] = {}
    for path in (path for name in SOURCES for path in (ROOT / name).rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        lines.setdefault(path.name, set()).update(line.strip() for line in text.splitlines())
    listed = equivalent.EQUIVALENT
    assert [key for key in listed if key[1] not in lines.get(key[0], ())] == []
    assert all(listed.values())
