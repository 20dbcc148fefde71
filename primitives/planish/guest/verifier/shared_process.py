"""Run the candidate in the tests' process, for tests that need both in one process."""

from __future__ import annotations

import sys

from .evidence import Evidence
from .guard import is_a
from .namespace import Namespace, load
from .packages import new_packages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import FrameType
    from typing import Any

    from .channel import Put

__all__ = ["NoticedUses", "Together"]

# Ways to reach the candidate that do not name it.
_REACHING = frozenset(
    ("__import__", "eval", "exec", "globals", "importlib", "modules", "os", "runpy", "subprocess")
)


class NoticedUses(Evidence):
    """Notice the uses of a candidate in the tests' own process.

    A test uses it if code of its files runs, or if the test names what it defines. The first
    is found by a profile function, which removes itself when it has seen such code.

    Args:
        put: Where records go.
        plan: See `start`.
    """

    def __init__(self, put: Put, plan: dict[str, Any]) -> None:
        super().__init__(put)
        self.by_names: bool = True
        own: set[str] = {plan["name"], "solution", *plan["modules"]}
        # In test code the candidate shares its globals with the tests; in test files it does not.
        self._modules = own if plan["mode"] == "pytest" else own - {plan["name"]}
        self._paths = tuple(f"/{name.replace('.', '/')}{end}" for name in own for end in _ENDS)
        self._files = {*plan["files"]}
        self.derived.update(_REACHING, (name.partition(".")[0] for name in own))

    def watch(self) -> None:
        """Notice the next code of the candidate's that runs."""
        sys.setprofile(self._look)

    def unwatch(self) -> None:
        """Notice none."""
        sys.setprofile(None)

    def copies(self, space: dict[str, Any]) -> set[str]:  # noqa: ARG002  # as its base class
        """Return no name: the values are the candidate's own."""
        return set()

    def relies_on(
        self, names: Iterable[str], space: dict[str, Any], among: set[str] | None = None
    ) -> bool:
        """Tell whether test code names what the candidate defines, or could reach it."""
        return super().relies_on(names, space, self.derived if among is None else among)

    def _look(self, frame: FrameType, event: str, _: Any) -> None:
        if event != "call":
            return
        file = frame.f_code.co_filename
        if (
            file in self._files
            or file.endswith(self._paths)
            or frame.f_globals.get("__name__") in self._modules
        ):
            sys.setprofile(None)
            self.uses += 1
            self.calls += 1


class Together:
    """Give tests access to a candidate in their own process, as `Judge` does across two.

    Args:
        plan: See `start`.
        evidence: Where to report what weakens the evidence: all of this does.
    """

    def __init__(self, plan: dict[str, Any], evidence: Evidence) -> None:
        self.plan = plan
        self.evidence = evidence
        self.space: Namespace
        self.got: dict[str, Any] = {}

    def load(self) -> BaseException | None:
        """Run preamble and candidate; return what they raised."""
        self.space, raised = load(self.plan)
        self.evidence.derived |= {name for name in self.space.names if name[:2] != "__"}
        self.got.update(self.space.names)
        sys.modules.setdefault("solution", self.space.module)
        return raised

    def want_for(self, names: set[str], entry: str | None, reaches_modules: bool) -> None:  # noqa: FBT001
        """Do nothing: the tests have all names of the candidate's."""

    def offer(self, name: str, first: Callable[[], None], *, last: bool = False) -> None:
        """Do nothing: the tests import the candidate's module from its file."""

    def hide(self, modules: Iterable[str]) -> None:
        """Do nothing: the candidate can reach all modules of the tests."""

    def watch_imports(self) -> None:
        """Do nothing: both have the same modules."""

    def is_of_tests(self, error: BaseException) -> bool:
        """Tell whether an exception shows that the tests cannot run, whatever the candidate."""
        name = str(getattr(error, "name", None) or "")
        own = (self.plan["name"], "solution", *self.plan["modules"])
        missing = is_a(error, ImportError)
        return missing and not any(name == one or one.startswith(f"{name}.") for one in own)

    def packages(self) -> list[str]:
        """Name the packages that tests or candidate have imported."""
        return list(new_packages())


_ENDS = (".py", "/__init__.py")
