"""Code a generator proposes."""

from dataclasses import dataclass, field
from typing import Literal

from planish.data.message import Reply
from planish.data.record import Record
from planish.data.task import Task

__all__ = ["Candidate", "Problem"]

Problem = Literal["empty_reply", "no_code", "truncated"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate(Record):
    """One proposal for a task.

    Attributes:
        task: What it is for, with the feedback it was written from.
        code: The code, without the task's preamble.
        problem: Why there is no code to run: an empty reply, prose only, or a reply cut off
            at the token limit. None when all is well.
        reply: The model's answer, where a model gave it.
    """

    task: Task
    code: str
    problem: Problem | None = None
    reply: Reply | None = field(default=None, repr=False)

    @property
    def digest(self) -> str:
        """Return 16 hex digits that are equal for exactly equal code.

        White space counts: inside a string literal it is data, and a reply that corrects only
        that is another program.
        """
        from hashlib import blake2b  # noqa: PLC0415 - loads OpenSSL, which few programs need

        encoded = self.code.encode("utf-8", "surrogatepass")
        return blake2b(encoded, digest_size=8).hexdigest()
