"""Which tests judge which source: by the names of folders, which tests share with their source."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

__all__ = ["AREAS", "SOURCES", "Area", "area_named", "area_of", "judging_paths", "source_files"]

SOURCES = ("primitives", "integrations")
# Suites that judge other things than one area: the layout, types, ratios, and this run itself.
# An area whose code they are about names them in `also`.
_NOT_JUDGING = {"house", "typing", "benchmarks", "mutation", "forging", "honesty"}

_LAW_OF_RECORDS = "laws/test_12_frozen.py"  # the one law about every module


@dataclass(frozen=True, slots=True)
class Area:
    """A part of the library that gets a score of its own.

    Attributes:
        name: What the command line calls it.
        folders: Names of folders or modules. A file, of source or of tests, belongs to the first
            area with the name of one of the folders above it, or its own.
        also: Other test paths that judge it, relative to `tests`, or beginnings of such.
        traced: Its code runs in the interpreter of the tests, so that each mutation is judged by
            the tests that call the function it stands in, and by no other.
        places: Of a test that runs in several places (the suite over all sandboxes), those whose
            code the area is: what runs elsewhere judges nothing. None for all of them.
    """

    name: str
    folders: Sequence[str]
    also: Sequence[str] = ()
    traced: bool = True
    places: Sequence[str] | None = None


# The suite that runs over every kind of sandbox: the beginning of its files' names.
_ALL_SANDBOXES = ("integrations/sandboxes/test_",)

AREAS: Sequence[Area] = (
    Area("doubles", ("testing", "guest/loopback"), also=("integrations/sandboxes/e2b",)),
    Area(
        "verifier",
        ("guest/verifier",),
        # Right programs pass as in plain Python, and no trick of a wrong one does.
        also=("verification", "honesty/test_honest.py", "forging/test_tricks.py"),
        traced=False,
    ),
    Area("unsafe", ("unsafe",), also=_ALL_SANDBOXES, traced=False, places=("unsafe",)),
    Area(
        "containers",
        ("containers", "guest/supervisor", "sandboxes/host"),
        # Programs of these run under the same supervisor.
        also=(*_ALL_SANDBOXES, "integrations/sandboxes/unsafe"),
        traced=False,
        places=("bwrap_container", "container", "unsafe"),
    ),
    Area("e2b", ("e2b",), also=_ALL_SANDBOXES, traced=False, places=("e2b",)),
    Area(
        "local",
        ("local", "guest/linux", "guest/session", "guest/zygote"),
        also=_ALL_SANDBOXES,
        traced=False,
        places=("namespaces", "bubblewrap", "landlock"),
    ),
    Area("environments", ("environments", "guest/pip")),
    Area("evaluation", ("evaluation",)),
    Area("cli", ("cli",)),
    Area("foreign", ("foreign", "otel")),
    Area("models", ("models",), also=("integrations/testing",)),
    Area("verification", ("verification",)),
    Area("extraction", ("extraction",)),
    Area("data", ("data",)),
    Area("core", ("planish",), also=("laws",)),
)
"""Every area, the first that fits first; core is all the rest of `planish`."""


def area_named(name: str) -> Area:
    """The area of that name."""
    return next(area for area in AREAS if area.name == name)


def area_of(path: Path) -> Area | None:
    """The area of a file of source, from its path relative to the root; None for no source."""
    if path.parts[0] not in SOURCES or path.suffix != ".py":
        return None
    return _first(Path(*path.parts[1:]).with_suffix("").as_posix())


def _first(path: str) -> Area | None:
    inside = f"/{path}/"
    return next(
        (area for area in AREAS if any(f"/{folder}/" in inside for folder in area.folders)), None
    )


def source_files(root: Path, area: Area) -> list[Path]:
    """The area's files of source, relative to the root, sorted."""
    found = (path.relative_to(root) for name in SOURCES for path in (root / name).rglob("*.py"))
    return sorted(path for path in found if area_of(path) is area and _can_be_judged(path))


def _can_be_judged(path: Path) -> bool:
    # Its tests have an environment of their own: see CI.
    return path.stem != "litellm" or find_spec("litellm") is not None


def judging_paths(root: Path, area: Area) -> list[str]:
    """The area's files of tests, relative to the root, sorted."""
    tests = root / "tests"
    also = tuple(str(tests / path) for path in area.also)
    found: list[str] = []
    for path in sorted(tests.rglob("test_*.py")):
        inside = path.relative_to(tests)
        named = bool(also) and str(path).startswith(also)
        if inside.parts[0] in _NOT_JUDGING and not named:
            continue
        everywhere = inside.as_posix() == _LAW_OF_RECORDS and area.traced
        if everywhere or named or _mirrored(inside) is area:
            found.append(path.relative_to(root).as_posix())
    return found


def _mirrored(inside: Path) -> Area | None:
    # tests/integrations/test_otel.py mirrors planish_integrations/otel.py; the rest is the core's.
    name = inside.with_name(inside.stem.removeprefix("test_")).as_posix()
    return _first(name) or (None if inside.parts[0] == "integrations" else area_named("core"))
