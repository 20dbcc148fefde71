"""`Candidate`: the code that a generator proposes for a task."""

from dataclasses import dataclass, field
from typing import Literal

from planish.data.message import Reply
from planish.data.record import Record
from planish.data.task import Task

__all__ = ["Candidate", "Problem"]

Problem = Literal["empty_reply", "no_code", "truncated"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate(Record):
    """Code proposed for a task.

    Attributes:
        task: The task, with the feedback that the code was generated from.
        code: The code, without the task's preamble.
        problem: Why there is no code to run: "empty_reply", "no_code" (the reply is prose only)
            or "truncated" (the reply was cut off at the token limit). None if there is code.
        reply: The model's reply; None if no model wrote the code.
    """

    task: Task
    code: str
    problem: Problem | None = None
    reply: Reply | None = field(default=None, repr=False)

    @property
    def attempt(self) -> int:
        """Number of the attempt of its loop that it belongs to, from 1."""
        return self.task.attempt

    @property
    def digest(self) -> str:
        """Digest of the code's exact text: 16 hexadecimal digits.

        White space counts: inside a string literal it is data, so a reply that changes only
        white space is another program.
        """
        from hashlib import blake2b  # noqa: PLC0415 - loads OpenSSL, which few programs need

        encoded = self.code.encode("utf-8", "surrogatepass")
        return blake2b(encoded, digest_size=8).hexdigest()
