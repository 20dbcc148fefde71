"""Part the process that judges from the one that runs the candidate."""

from __future__ import annotations

from os import O_CLOEXEC, fork, pipe2

from .harden import close_memory, keep_only, lose_powers, why_not_apart
from .pipe import Pipe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Apart", "part"]


class Apart:
    """Hold the verifier's pipe and results descriptor after the fork.

    Args:
        pipe: The way to the candidate.
        results: The descriptor for results, which the candidate's process does not have.
    """

    def __init__(self, pipe: Pipe, results: int | None) -> None:
        self.pipe = pipe
        self.results = results

    def why_not(self, places: Iterable[str]) -> str:
        """Say what leaves this process open to the candidate; "" for nothing.

        Args:
            places: Where modules are imported from.
        """
        return why_not_apart(places)


def part(results: int | None) -> Apart:
    """Fork the candidate's process; returns in the process that judges only.

    Nothing that the candidate must not know has been read yet: neither tests nor the secret.

    Args:
        results: The descriptor for results, if there is one.
    """
    to_judge, to_candidate = pipe2(O_CLOEXEC), pipe2(O_CLOEXEC)
    child = fork()
    if child == 0:
        from .serve import serve  # noqa: PLC0415  # not in the process that judges

        incoming, outgoing = keep_only(to_candidate[0], to_judge[1])
        lose_powers()
        serve(Pipe(incoming, outgoing))
    kept = () if results is None else (results,)
    incoming, outgoing, *rest = keep_only(to_judge[0], to_candidate[1], *kept)
    close_memory()
    return Apart(Pipe(incoming, outgoing, child), rest[0] if rest else None)
