"""Execute a candidate with its task's tests in a sandbox."""

import os
from collections.abc import Awaitable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from anyio import to_thread

from planish import verification
from planish.abc import KnowsLanguages, Sandbox, Session
from planish.arguments import path_fault
from planish.data.candidate import Candidate
from planish.data.execution import Execution
from planish.data.program import Completed, Program, ResourceLimits
from planish.data.status import Status
from planish.data.task import Task
from planish.data.tests import PytestFile, StdioPairs
from planish.effects import decide, execute, execute_step
from planish.errors import WiringError
from planish.loading import load_now
from planish.runtime.primitive import Primitive
from planish.runtime.signature import implements
from planish.runtime.wiring import WrongInputError, require_object

if TYPE_CHECKING:
    from planish.verification import PreparedPrograms

__all__ = ["CodeExecution"]

_OTHER_HASH_SEED = "1"  # sandboxes set 0
_LARGE_OUTPUTS = 50_000  # bytes that a contract checks in the event loop: tens of milliseconds


class CodeExecution(Primitive[Candidate, Execution]):
    """Run a candidate with its task's tests in a sandbox, and return the evidence.

    Code that does not parse is not run. Programs that are equal, byte by byte, to those of an
    earlier attempt of this loop, in this sandbox and with these limits, are not run again: the
    result is that attempt's evidence, with `repeats` set, for another judge to judge.
    `docs/verdicts.md` describes what is decided in which process.

    In a session, code is run as a step, as in a notebook: what it sets stays for the next one,
    whether it passes or not, and what it displays is `Execution.displays`. A step has no tests, so
    a judge of your own decides. To test code beside a session, without a trace in it, execute it
    in `planish_integrations.local.InSession`.

    Args:
        sandbox: The sandbox, or an open session. There is no default, because the code is not
            trusted.
        limits: The limits of each program; by default those of `ResourceLimits`: 30 s, 2 GiB and
            1 MB of output. In a session `seconds` alone counts; it has the others itself.
        check_hash_order: Run Python code that passes all tests once more with another hash seed,
            which changes the order of sets of strings. If tests fail then, the second run is the
            evidence, with a finding. Otherwise the hash seed is always 0. This needs a sandbox
            that starts an interpreter for each program, so it is refused for a session.
        outputs: A folder in the working directory that is made before the program starts, and
            whose files are `Execution.artifacts`; None (the default) for that of the task's
            contract, if it has one. A finding names each file that was left out, and says if the
            folder was removed.

    Raises:
        WiringError: the sandbox does not have `name` and `run`, or is a class or a text; or the
            limits are not `ResourceLimits`; or `outputs` is no plain relative path. At run time,
            `outputs` is not the folder of the task's contract, the input is not a `Candidate`,
            its task has held-out tests and no `Accept` is around, or a session is to run a
            candidate or task with more than code.
    """

    def __init__(
        self,
        sandbox: Sandbox | Session,
        *,
        limits: ResourceLimits | None = None,
        check_hash_order: bool = False,
        outputs: str | None = None,
    ) -> None:
        require_object(
            "CodeExecution",
            "sandbox",
            sandbox,
            members="`name` and `run`",
            maker="LocalSandbox() of planish_integrations.local",
        )
        if limits is not None and not isinstance(cast("object", limits), ResourceLimits):
            raise WiringError(f"CodeExecution(limits={limits!r}): must be a ResourceLimits(...)")
        if not implements(sandbox, Sandbox):
            raise WiringError(f"CodeExecution({sandbox!r}): a sandbox has `name` and `run`")
        load_now(verification)
        self.sandbox = sandbox
        if isinstance(sandbox, Session) and (check_hash_order or outputs is not None):
            raise WiringError(
                f"CodeExecution({sandbox!r}): a session has no check_hash_order and no outputs; "
                "InSession(session) of planish_integrations.local is a sandbox"
            )
        self.limits: ResourceLimits = limits or ResourceLimits()
        self.check_hash_order = check_hash_order
        self.outputs = outputs
        if outputs is not None and not isinstance(cast("object", outputs), str):
            raise WiringError(f"CodeExecution(outputs={outputs!r}): must be the path of a folder")
        if outputs is not None and (fault := path_fault(outputs)) is not None:
            raise WiringError(f"CodeExecution(outputs={outputs!r}): the path {fault}")
        self._knows_languages = isinstance(sandbox, KnowsLanguages)
        # Part of each key: evidence of one sandbox object is not that of another.
        self._sandbox_id = f"{sandbox.name} {os.urandom(8).hex()}"

    async def _run(self, value: Candidate) -> Execution:
        if not isinstance(cast("object", value), Candidate):
            raise WrongInputError(self, value, "a Candidate")
        if value.task.accept is not None:
            raise WiringError(
                "the candidate's task has held-out tests, which would not be run: run it with "
                "Accept(pipeline, CodeExecution(sandbox) >> Validator())"
            )
        self.require_task(value.task)
        if isinstance(self.sandbox, Session):
            return await self._run_step(self.sandbox, value)
        failure = verification.syntax_failure(value)
        if failure is not None:
            return verification.reject(value, failure)
        prepared = await self._prepare(value)
        key = f"{prepared.digest} {self._sandbox_id}"
        earlier = _earlier_execution(value, key)
        if earlier is not None:
            return earlier
        execution = await self._execute(self.sandbox, prepared)
        if self.check_hash_order and _may_depend_on_hash_order(execution):
            other = await self._prepare(value)  # each run has a random key of its own
            other = replace(other, programs=_with_other_hash_seed(other.programs))
            execution = _merge_hash_seeds(execution, await self._execute(self.sandbox, other))
        return replace(execution, sandbox=self.sandbox.name, key=key)

    def require_task(self, task: Task) -> None:
        """Check that the sandbox can run candidates of a task, as far as it is known before a run.

        A sequence calls this before a `CodeGenerator` in front of this step requests a reply.

        Raises:
            WiringError: a session is to run more than Python code, or `outputs` is not the folder
                of the task's contract.
            UnsupportedError: the sandbox says that it does not run the task's language.
        """
        if isinstance(self.sandbox, Session):
            names = ("tests", "files", "contract", "preamble")
            more = [name for name in names if getattr(task, name)]
            if more or task.language != "python":
                raise _more_than_code(self.sandbox, more[0] if more else task.language)
            return
        self._outputs_of(task)
        if self._knows_languages:
            cast("KnowsLanguages", self.sandbox).require_language(task.language)

    async def require_ready(self, task: Task) -> None:
        """Check that the sandbox can run programs, and pytest for a pytest file, if it knows.

        A sequence calls this, as `require_task`, unless a journal may have the results.

        Raises:
            UnsupportedError: the sandbox says that it cannot.
            AuthenticationError: it has no key.
        """
        require: Any = getattr(self.sandbox, "require_ready", None)
        if require is not None:
            checked = require(pytest=isinstance(task.tests, PytestFile))
            if isinstance(checked, Awaitable):
                await checked

    async def _run_step(self, session: Session, value: Candidate) -> Execution:
        """Run the candidate's code as a step; what it has set stays."""
        if value.files:
            raise _more_than_code(session, "files")
        failure = verification.syntax_failure(value, step=True)
        if failure is not None:
            return verification.reject(value, failure)
        completed = await execute_step(session, value.code, seconds=self.limits.seconds)
        return replace(verification.read_step(value, completed), sandbox=session.name)

    async def _prepare(self, candidate: Candidate) -> "PreparedPrograms":
        """Return the programs, with a key that a journal records: results are sealed with it."""
        outputs = self._outputs_of(candidate.task)
        secret = await decide("secret", _new_secret, str)
        return verification.prepare(candidate, self.limits, secret=secret, outputs=outputs)

    def _outputs_of(self, task: Task) -> str | None:
        """Return the folder for outputs: that of the contract, or of this step."""
        contract = task.contract
        if contract is None or not contract.outputs:
            return self.outputs
        if self.outputs not in (None, contract.folder):
            raise WiringError(
                f"CodeExecution(outputs={self.outputs!r}): the task's contract has its outputs in "
                f"{contract.folder!r}; leave `outputs` out"
            )
        return contract.folder

    async def _execute(self, sandbox: Sandbox, prepared: "PreparedPrograms") -> Execution:
        """Run the programs and read their evidence."""
        tests = prepared.candidate.task.tests
        if not isinstance(tests, StdioPairs):
            completed = [
                await execute(sandbox, program, identity=_identity(prepared, number))
                for number, program in enumerate(prepared.programs)
            ]
            return await _read(prepared, completed)
        pairs = verification.PairRuns(tests, prepared.programs, self.limits)
        while (program := pairs.next()) is not None:
            identity = _identity(prepared, len(pairs.completed))
            pairs.add(await execute(sandbox, program, identity=identity))
        return await _read(prepared, pairs.completed, pairs.checker_runs)


async def _read(
    prepared: "PreparedPrograms",
    completed: Sequence[Completed],
    checker_runs: Sequence[Completed] = (),
) -> Execution:
    """Read the evidence; in a thread if a contract checks large outputs, which takes seconds."""
    contract = prepared.candidate.task.contract
    sizes = (len(content) for one in completed for content in one.artifacts.values())
    if contract is None or sum(sizes) <= _LARGE_OUTPUTS:
        return verification.read_execution(prepared, completed, checker_runs)
    return await to_thread.run_sync(verification.read_execution, prepared, completed, checker_runs)


def _more_than_code(session: Session, part: str) -> WiringError:
    """Return the error for a session that is to run a part that no step has."""
    return WiringError(
        f"CodeExecution({session!r}): a step of a session is Python code, without {part}; for a "
        "task with tests or files use InSession(session) of planish_integrations.local, or a "
        "sandbox"
    )


def _identity(prepared: "PreparedPrograms", number: int) -> str:
    """Return what a journal knows a program by.

    With a digest of the key: results that were sealed with another one are no results of it.
    """
    from hashlib import blake2b  # noqa: PLC0415 - loads OpenSSL, which few programs need

    key = blake2b(prepared.secret.encode(), digest_size=16).hexdigest()
    return f"{prepared.digest} {number} {key}"


async def _new_secret() -> str:
    return os.urandom(16).hex()


def _earlier_execution(candidate: Candidate, key: str) -> Execution | None:
    """Return the evidence of an earlier attempt of this loop that ran equal programs, or None."""
    feedback = candidate.task.feedback
    for attempt in feedback.previous_attempts if feedback is not None else ():
        execution: Execution | None = attempt.execution
        if execution is not None and execution.key == key:
            return replace(
                execution, candidate=candidate, runs=0, duration=0.0, repeats=attempt.attempt
            )
    return None


def _may_depend_on_hash_order(execution: Execution) -> bool:
    """Return whether the tests passed, so that they could fail with another hash seed."""
    passed = execution.status is Status.SUCCESS and bool(execution.tests)
    return passed and execution.candidate.task.language == "python"


def _with_other_hash_seed(programs: Sequence[Program]) -> tuple[Program, ...]:
    seed = {"PYTHONHASHSEED": _OTHER_HASH_SEED}
    return tuple(replace(program, env={**program.env, **seed}) for program in programs)


def _merge_hash_seeds(first: Execution, second: Execution) -> Execution:
    """Return the second execution if it failed, else the first; with the cost of both."""
    evidence = first
    if not _may_depend_on_hash_order(second):
        finding = (
            "the result depends on hash order (of sets of strings, for example): all tests pass "
            f"with PYTHONHASHSEED=0, not with {_OTHER_HASH_SEED}"
        )
        evidence = replace(second, findings=(*second.findings, finding))
    return replace(
        evidence, duration=first.duration + second.duration, runs=first.runs + second.runs
    )
