"""`Task`: a requirement and its tests, the input of a pipeline."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self, cast

from planish.arguments import is_callable_name, require_count, require_text
from planish.data.contract import Contract
from planish.data.feedback import Feedback
from planish.data.files import NO_FILES, FilesLike, TaskFiles, as_files, fold_path
from planish.data.language import LANGUAGES, OTHER_NAMES
from planish.data.record import Base64, Record, without_bom
from planish.data.source import bound_names, undefined_names
from planish.data.tests import Assertions, Case, Cases, PytestFile, StdioPairs, Tests
from planish.data.tests.code import module_paths, require_parsable, require_use
from planish.errors import TaskError

__all__ = ["Task", "TestsLike"]

TestsLike = Tests | str | Sequence[str] | Sequence[Case] | Sequence[tuple[Any, Any]]
"""Test code, a list of assert statements, a table of cases, or one of the test classes."""

_TESTS_ARE = (
    "tests are assertion code, a list of asserts, a list of (args, expected) pairs, or one of "
    "the classes of tests in planish.data"
)


@dataclass(frozen=True, slots=True, init=False)
class Task(Record):
    """A requirement for code, and the tests that decide whether code meets it.

    Example:
        >>> task = Task("Add two numbers.", entry_point="add", tests="assert add(2, 3) == 5")
        >>> task.tests
        Assertions(code='assert add(2, 3) == 5', run_as='module', origin='user')

    Attributes:
        requirement: What the code must do, in words.
        tests: The tests; None for no tests: the default judge then never says "passed".
        accept: Held-out tests, which `Accept` runs once, on the best attempt, after the loop.
            Nothing of them is given to the loop; None (the default) for none.
        entry_point: The function or class to write. A method is written `Solution.method` or
            `Solution().method`; its object is made without arguments. A table of cases needs an
            entry point, and makes a new object for each case.
        preamble: Code that is put before every candidate: imports, helpers.
        files: Files in the working directory of every run: content by path, as a text (written
            as UTF-8), bytes or the `Path` of a file; or a folder. What is a path of this machine
            is read when the task is made. The prompt shows names and beginnings. A run may
            change its copies; the next run has the files as they were. See `docs/files.md`.
        contract: Names and formats of the files that come in and that a run must return; None (the
            default) for no requirement. An output that breaks it fails the attempt.
        context: Texts for the generator: documents, plans, signatures.
        constraints: Rules for the code. They are verbatim in every request.
        language: The candidate's language, by its name in `planish.data.language.LANGUAGES`, or
            by the name that your sandbox gives it.
        id: A name for recordings, traces and reports.
        feedback: Evidence of the attempt before. Set by `with_feedback`.
        candidate: Number of the independent candidate, from 0. Set by `BestOf`.

    Raises:
        TaskError: a file cannot be laid out: see `planish.data.files.as_files`; or a file breaks
            the contract; or a pytest file never uses the code.
        TaskError: the requirement or the tests are empty, tests or preamble do not parse, cases
            have no entry point, Python code cannot define it, Python tests are for another
            language, the language has another name, or a field has a value of another type.
    """

    # The defaults are those of documents, which may leave these fields out.
    requirement: str
    tests: Tests | None = None
    entry_point: str | None = None
    preamble: str = ""
    context: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    language: str = "python"
    id: str | None = None
    feedback: Feedback | None = None
    candidate: int = 0
    accept: Tests | None = None
    files: Mapping[str, Base64] = NO_FILES
    contract: Contract | None = None

    def __init__(  # noqa: PLR0913 - each with a default
        self,
        requirement: str,
        *,
        tests: TestsLike | None = None,
        entry_point: str | None = None,
        preamble: str = "",
        files: FilesLike | None = None,
        contract: Contract | None = None,
        context: Sequence[str] = (),
        constraints: Sequence[str] = (),
        language: str = "python",
        id: str | None = None,  # noqa: A002 - the usual name
        feedback: Feedback | None = None,
        candidate: int = 0,
        accept: TestsLike | None = None,
    ) -> None:
        put = object.__setattr__
        put(self, "requirement", requirement)
        put(self, "tests", _as_tests(tests))
        put(self, "entry_point", entry_point)
        put(self, "preamble", without_bom(preamble))
        put(self, "files", NO_FILES if files is None else files)
        put(self, "contract", contract)
        put(self, "context", _texts("context", context))
        put(self, "constraints", _texts("constraints", constraints))
        put(self, "language", language)
        put(self, "id", id)
        put(self, "feedback", feedback)
        put(self, "candidate", candidate)
        put(self, "accept", _as_tests(accept))
        self.__post_init__()

    def __post_init__(self) -> None:
        if not isinstance(self.files, TaskFiles):
            object.__setattr__(self, "files", as_files(self.files))
        self._check_fields()
        _require_language(self.language)
        if not self.requirement.strip():
            raise TaskError("the requirement is empty: say what the code must do")
        if isinstance(self.accept, Cases) and not self.entry_point:
            raise TaskError("held-out cases call a function: name it with entry_point='name'")
        if isinstance(self.tests, Cases) and not self.entry_point:
            raise TaskError("a table of cases calls a function: name it with entry_point='name'")
        if (
            self.language == "python"
            and self.entry_point
            and not is_callable_name(self.entry_point)
        ):
            raise TaskError(
                f"entry_point={self.entry_point!r} names nothing that can be called: give a name, "
                "'Class.method' or 'Class().method'"
            )
        if self.language != "python" and not isinstance(self.tests, StdioPairs | None):
            raise TaskError(
                f"{type(self.tests).__name__} tests are Python: judge a {self.language!r} "
                "candidate with StdioPairs"
            )
        if self.preamble and self.language == "python":
            require_parsable(self.preamble, "the preamble")
        self._check_contract()
        for path in self.files:
            if self._is_of_layout(path):
                raise TaskError(
                    f"Task(files=...): {path!r} is the path of the code or of a test: rename it"
                )

    def _check_contract(self) -> None:
        contract, files = self.contract, cast("TaskFiles", self.files)
        if not isinstance(cast("object", contract), Contract | None):
            raise TaskError(f"Task(contract={contract!r:.200}): must be a Contract(...)")
        if contract is None or getattr(files, "checked_by", None) is contract:
            return
        for path, fault in contract.input_faults(files).items():
            raise TaskError(f"Task(files=...): {path!r} {fault}, against the contract")
        files.checked_by = contract

    def _is_of_layout(self, path: str) -> bool:
        """Return whether the program of a candidate has another file at this path, or in it."""
        if self.language != "python":
            return fold_path(path).startswith("main.")
        own: set[str] = set()
        for tests in (self.tests, self.accept):
            if isinstance(tests, PytestFile):
                paths = (*module_paths(tests.module), tests.filename, *tests.files)
                own |= {fold_path(one) for one in paths}
        key = fold_path(path)
        return key in own or any(
            one.startswith(f"{key}/") or key.startswith(f"{one}/") for one in own
        )

    def _check_fields(self) -> None:
        for name in ("requirement", "preamble", "entry_point", "id"):
            if getattr(self, name) is not None or name in ("requirement", "preamble"):
                require_text("Task", name, getattr(self, name), error=TaskError)
        if not isinstance(cast("object", self.tests), Tests | None):
            raise TaskError(f"Task(tests={self.tests!r}): {_TESTS_ARE}")
        if not isinstance(cast("object", self.feedback), Feedback | None):
            raise TaskError(
                f"Task(feedback={self.feedback!r}): must be a Feedback; for a text, call "
                "task.with_feedback(text)"
            )
        require_count("Task", "candidate", self.candidate, least=0, error=TaskError)
        if isinstance(self.tests, PytestFile) or isinstance(self.accept, PytestFile):
            require_use(self.files, self.tests, self.accept)

    @property
    def required_name(self) -> str | None:
        """The name that a solution must define: of the entry point, or of what the tests use.

        For a method it is the name of its class; None if the tests use no name, or several.
        """
        if self.entry_point is not None and self.language == "python":
            return self.entry_point.partition(".")[0].removesuffix("()")
        if self.entry_point is not None or not isinstance(self.tests, Assertions):
            return self.entry_point
        names = undefined_names(self.tests.code) - bound_names(self.preamble)
        return next(iter(names)) if len(names) == 1 else None

    @property
    def attempt(self) -> int:
        """Number of the loop's attempt that this task is for, from 1."""
        return 1 if self.feedback is None else self.feedback.attempt + 1

    def with_feedback(self, feedback: Feedback | str, /) -> Self:
        """Return this task with the feedback of the last attempt.

        A text, or a feedback that has only `text` and `source`, is added to the present feedback,
        whose evidence and code remain. Any other feedback replaces it; if its attempt is 0, it
        gets the attempt and the previous attempts of the present one.
        """
        known = self.feedback or Feedback()
        if not isinstance(cast("object", feedback), Feedback | str):
            raise TaskError(f"with_feedback({feedback!r}): must be a Feedback or a text")
        if isinstance(feedback, str):
            feedback = known.with_words(feedback)
        elif feedback == Feedback(text=feedback.text, source=feedback.source) and known.attempt:
            feedback = known.with_words(feedback.text, feedback.source)
        elif feedback.attempt == 0:
            feedback = replace(
                feedback, attempt=known.attempt, previous_attempts=known.previous_attempts
            )
        return replace(self, feedback=feedback)

    def starting_from(self, code: str, words: str = "") -> Self:
        """Return this task with existing code, which the first attempt improves.

        To give the first attempt the evidence on that code too, run it first: the report of
        `CodeExecution(sandbox) >> Validator()` on `Candidate(task=task, code=code)` has it, as
        `report.feedback`, for `with_feedback`.

        Args:
            code: The code.
            words: What to change; "" (the default) for no more than the requirement says.
        """
        return replace(self, feedback=Feedback(previous_code=code, text=words))

    def for_candidate(self, index: int, count: int) -> Self:
        """Return this task for candidate `index` of `count` independent candidates."""
        return replace(self, candidate=self.candidate * count + index)


def _require_language(language: str) -> None:
    """Check that a language is named as sandboxes name it.

    A name that is not in `LANGUAGES` is accepted, because a sandbox may add languages, but not
    another name of one that is: code in "js" would be paid for, and then run by no sandbox.

    Args:
        language: The name of a language.

    Raises:
        TaskError: it is another name of a known language, has upper case or white space, or is
            not a text.
    """
    require_text("Task", "language", language, error=TaskError)
    lower = language.strip().lower()
    name = OTHER_NAMES.get(lower, lower)
    if language == name and not any(map(str.isspace, language)) and language:
        return
    advice = f"write {name!r}. " if name in LANGUAGES else ""
    raise TaskError(
        f"Task(language={language[:80]!r}): {advice}Languages are {', '.join(LANGUAGES)}, and "
        "those that your sandbox adds, in lower case and without white space"
    )


def _texts(name: str, values: Sequence[str]) -> tuple[str, ...]:
    if isinstance(values, str):
        raise TaskError(f"Task({name}={values[:40]!r}): give a list of texts, not one text")
    if not isinstance(cast("object", values), Iterable) or isinstance(values, bytes | Mapping):
        raise TaskError(f"Task({name}={values!r}): give a list of texts")
    texts = tuple(values)
    for text in texts:
        require_text("Task", f"{name}=[...]; an item", text, error=TaskError)
    return texts


def _as_tests(tests: TestsLike | None) -> Tests | None:
    if tests is None or isinstance(tests, Assertions | Cases | PytestFile | StdioPairs):
        return tests
    if isinstance(tests, str):
        return Assertions(tests)
    if not isinstance(cast("object", tests), Iterable) or isinstance(tests, bytes | Mapping):
        advice = "; of a file: tests=path.read_text()" if isinstance(tests, os.PathLike) else ""
        raise TaskError(f"Task(tests={tests!r}): {_TESTS_ARE}{advice}")
    rows = list(tests)
    if not rows:
        raise TaskError("the tests are empty: leave `tests` out to run code unverified")
    lines = [row for row in rows if isinstance(row, str)]
    if len(lines) == len(rows):
        return Assertions("\n".join(lines))
    if lines:
        raise TaskError("tests mix assertion code and cases: give one kind")
    return Cases.of(cast("list[Case | tuple[Any, Any]]", rows))
