"""`Candidate`: the code that a generator proposes for a task."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, Self, cast

from planish.arguments import require_mapping, require_text, require_texts
from planish.data.feedback import Issue
from planish.data.message import Reply, Request
from planish.data.record import Record, freeze
from planish.data.task import Task
from planish.errors import TaskError

__all__ = ["Candidate", "Problem"]

Problem = Literal["empty_reply", "no_code", "truncated", "edit_failed", "refused"]

_OF_MODELS = (("reply", Reply), ("request", Request))
_TEXTS = ("code", "problem", "path", "goal")


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate(Record):
    """Code proposed for a task.

    Attributes:
        task: The task, with the feedback that the code was generated from.
        code: The code, without the task's preamble. Of several files, the main one.
        problem: Why the candidate is not run: "empty_reply", "no_code" (the reply is prose only),
            "truncated" (the reply was cut off at the token limit), "edit_failed" (the reply is an
            edit that does not fit the previous code) or "refused" (see `refuse`). None if it can
            be run.
        reply: The model's reply; None if no model wrote the code.
        request: The request that it is the reply to, as the model was given it: all messages.
            None if no model wrote the code.
        path: The path that the reply gives the code; None if it gives none. The code is also
            in a file of that path when it has other files, so that they can import it.
        files: The candidate's other files: content by path, relative to the working directory.
            A path that cannot be laid out makes the candidate fail, with a finding.
        refusals: The findings of the steps that refused the candidate.
        findings: What was unclear in the reply, one sentence each. They become findings of the
            execution.
        goal: What the code is to achieve, in the model's words; "" if it did not say.
        assumptions: What the model assumed that the task does not say. Both are stated by a
            `CodeGenerator(explain=True)`, and are shown in the report's summary.
        packages: Python packages that the model says the code needs, with optional versions. They
            are installed if the sandbox may, besides those that are imported.
        system_packages: Packages of the operating system that the model says the code needs. For
            each that the sandbox does not install, the execution has a finding.

    Raises:
        TaskError: `task` is not a `Task`; the code, path or goal, or the content of a file, is not
            text; findings, assumptions or packages are not collections of texts; or problem,
            reply, request or refusals are something else.
    """

    task: Task
    code: str
    problem: Problem | None = None
    reply: Reply | None = field(default=None, repr=False)
    request: Request | None = field(default=None, repr=False)
    path: str | None = None
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    refusals: tuple[Issue, ...] = ()
    findings: tuple[str, ...] = ()
    goal: str = ""
    assumptions: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    system_packages: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(cast("object", self.task), Task):
            raise TaskError(f"Candidate(task={self.task!r:.80}): must be a Task")
        if not isinstance(cast("object", self.files), Mapping):
            require_mapping("Candidate", "files", self.files, "texts by path", error=TaskError)
        self._check_values()
        for name in ("findings", "assumptions", "packages", "system_packages"):
            if getattr(self, name) != ():
                require_texts("Candidate", name, getattr(self, name), error=TaskError)
        for path, text in self.files.items():
            if not isinstance(cast("object", text), str):
                require_text("Candidate", f"files[{path!r}]", text, error=TaskError)
        freeze(self, "files")

    def _check_values(self) -> None:
        for name in _TEXTS:
            text = getattr(self, name)
            if not isinstance(text, str) and not (text is None and name in ("problem", "path")):
                require_text("Candidate", name, text, error=TaskError)
        for name, kind in _OF_MODELS:
            value = getattr(self, name)
            if value is not None and not isinstance(value, kind):
                raise TaskError(f"Candidate({name}={value!r:.80}): must be a {kind.__name__}")
        if not all(isinstance(cast("object", one), Issue) for one in self.refusals):
            raise TaskError(
                f"Candidate(refusals={self.refusals!r:.80}): each must be an Issue; for texts, "
                "call candidate.refuse(text)"
            )

    @property
    def attempt(self) -> int:
        """Number of the attempt of its loop that it belongs to, from 1."""
        return self.task.attempt

    @property
    def digest(self) -> str:
        """Digest of the exact text of code and files, and of the packages: 16 hexadecimal digits.

        White space counts: inside a string literal it is data, so a reply that changes only
        white space is another program. The order of the files does not count.
        """
        from hashlib import blake2b  # noqa: PLC0415 - loads OpenSSL, which few programs need

        hasher = blake2b(_encode(self.code), digest_size=8)
        if self.files:
            for path, content in sorted([(self.path or "", ""), *self.files.items()]):
                for part in (_encode(path), _encode(content)):
                    hasher.update(b"%d " % len(part) + part)
        if self.packages or self.system_packages:
            hasher.update(ascii((self.packages, self.system_packages)).encode())
        return hasher.hexdigest()

    def refuse(self, *findings: Issue | str) -> Self:
        """Return this candidate as one that is not run, with the reasons as feedback.

        It counts as an attempt: `CodeExecution` returns an execution with the status
        SYNTAX_ERROR and the findings, and the loop passes them on to the next request.

        Args:
            findings: What is wrong, most important first; a text or an `Issue`, which can name
                a fix. At least one.

        Raises:
            ValueError: there is no finding.

        Example:
            >>> candidate = Candidate(task=Task("Add."), code="import os")
            >>> candidate.refuse("the code imports os").problem
            'refused'
        """
        if not findings:
            raise ValueError("refuse(): give at least one finding, so that the model can act on it")
        issues = [Issue(issue=one) if isinstance(one, str) else one for one in findings]
        return replace(self, problem="refused", refusals=(*self.refusals, *issues))


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
