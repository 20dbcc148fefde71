"""Check the files that programs have left against the task's contract."""

from collections.abc import Mapping, Sequence

from planish.data.candidate import Candidate
from planish.data.contract import Contract
from planish.data.execution import Failure, TestResult
from planish.data.program import Completed
from planish.data.task import Task
from planish.guest.protocol import VALUE, bounded

__all__ = ["contract_failure", "contract_results"]


def contract_results(
    candidate: Candidate, completed: Sequence[Completed]
) -> tuple[TestResult, ...]:
    """Return a failed test for each output that is missing, unchanged or has another format.

    An output that is as required is no test: its format does not show that it is right. What was
    stopped before its end, or has raised, is not asked for outputs; its failure says more.

    Args:
        candidate: The candidate.
        completed: The results of its programs, each of which must have left all outputs.
    """
    contract = candidate.task.contract
    if contract is None or not contract.outputs:
        return ()
    faults: dict[str, str] = {}
    for one in completed:
        ended = one.signal is None and one.limit is None
        if ended and (one.exit_code == 0 or candidate.task.tests is not None):
            unchanged = _unchanged_faults(candidate.task, contract, one.artifacts)
            for path, fault in (unchanged | contract.output_faults(one.artifacts)).items():
                faults.setdefault(path, fault)
    return tuple(
        TestResult(
            name=f"the output {contract.folder}/{path}",
            status="failed",
            message=bounded(f"{contract.folder}/{path} {fault}", VALUE),
            expected=contract.outputs[path].describe(),
        )
        for path, fault in faults.items()
    )


def _unchanged_faults(
    task: Task, contract: Contract, artifacts: Mapping[str, bytes]
) -> dict[str, str]:
    """Return the outputs that the task itself brings, and that the program has not changed."""
    own = {
        path
        for path, content in artifacts.items()
        if task.files.get(f"{contract.folder}/{path}") == content
    }
    if not own:
        return {}
    faults: dict[str, str] = {}
    for path, one in contract.outputs.items():
        left = {name for name in artifacts if name == path or name.startswith(f"{path}/")}
        if left and left <= own and not one.optional:
            faults[path] = "is as the task has brought it: the program must write it"
    return faults


def contract_failure(results: Sequence[TestResult]) -> Failure | None:
    """Return the failure of the first of the results of `contract_results`; None without any."""
    return Failure(name="ContractError", message=results[0].message) if results else None
