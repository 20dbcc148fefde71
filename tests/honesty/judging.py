"""Programs judged by planish, in each of its sandboxes."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio
from tests.forging.places import local_sandbox
from tests.honesty.program import Honest
from tests.integrations.sandboxes.e2b.support import connected

from planish import Candidate, CodeExecution, Validator, Verdict
from planish.abc import Sandbox
from planish.data import ResourceLimits
from planish_integrations.local import InSession, LocalSession, Tier
from planish_integrations.testing.e2b import LoopbackE2B
from planish_integrations.unsafe import UnsafeLocalSandbox

__all__ = ["PLACES", "judged", "runs_in"]

TIERS: dict[str, Tier] = {
    "namespaces": "namespaces",
    "bubblewrap": "bubblewrap",
    "landlock": "landlock",
}
PLACES = (*TIERS, "unsafe", "session", "e2b")


def runs_in(place: str, program: Honest) -> bool:
    """Whether the Python of a place has what the program and its tests import."""
    return place != "e2b" or (program.kind != "pytest" and not program.needs)


@asynccontextmanager
async def opened(place: str, kind: str = "checks") -> AsyncGenerator[Sandbox]:
    """Open a sandbox of a place, for programs of a kind; those of the tiers are shared."""
    if place == "unsafe":
        yield UnsafeLocalSandbox()
    elif place == "e2b":
        with LoopbackE2B() as server:
            yield connected(server)
    elif place == "session":
        async with LocalSession(local_sandbox("namespaces")) as session:
            yield InSession(session)
    else:
        yield local_sandbox(TIERS[place], kind)


def judged(place: str, *programs: Honest) -> list[Verdict]:
    """The verdicts of planish on programs, one after the other in one sandbox."""
    kinds = {program.kind for program in programs}
    kind = kinds.pop() if len(kinds) == 1 else "checks"

    async def run() -> list[Verdict]:
        async with opened(place, kind) as sandbox:
            pipeline = CodeExecution(sandbox, limits=ResourceLimits(seconds=60.0)) >> Validator()
            found: list[Verdict] = []
            for program in programs:
                candidate = Candidate(task=program.task(), code=program.code)
                report = await pipeline.run(candidate)
                found.append(report.history[-1].verdict)
            return found

    return anyio.run(run)
