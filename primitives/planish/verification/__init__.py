"""Verification: turn a candidate and its tests into programs, and their results into evidence.

`docs/verdicts.md` says which process may know and do what. A program in the sandbox is two
processes. The verifier has the tests, the secret and the records. The candidate's process is
forked before any of these is read, and is connected to the verifier by pipes only. Values cross
the pipes as data; each object that is not plain data has a proxy, whose operations run in the
other process. A list, dict or set exists in both processes and is synchronized. Tests and
candidate are compiled separately, so that line numbers are those of their own files. Each test
runs and is recorded separately, when it begins and when it ends, so that the results before a
time-out or a crash are known. Results of `Cases` and output of programs are compared on the host.

The status of an execution is the first that applies:

- `SYNTAX_ERROR`: the code does not compile, is cut off, or is missing.
- `TEST_ERROR`: the tests cannot run with any candidate, or the task's preamble raised.
- `TIMEOUT`, `RESOURCE_LIMIT`: a program was stopped at its time limit, or at another limit; or
  the first failure is a MemoryError or a RecursionError.
- `SUCCESS`: all tests passed; without tests, the exit code is 0.
- `PARTIAL_SUCCESS`: some tests passed.
- `WRONG_ANSWER`: no test passed, because results were wrong.
- `RUNTIME_ERROR`: an exception was raised, a signal killed the program, or the records were not
  genuine; without tests, the exit code is not 0.

`Execution.failure` is the first failure in time. If it is not an exception, its name is "Timeout",
"ResourceLimit", "Killed", "EarlyExit" (the program ended itself before all tests had run),
"Tampering" (the records are not genuine), "ContractError" (an output is missing or has another
format than the task's contract requires), "CheckerError", "PreambleError" (the task's preamble
raised before the code was run) or "ExitCode" (a program without tests).
A result that the host finds wrong is an "AssertionError".

Texts are bounded: a text that is too long is reduced to its first quarter and last three
quarters, counted in the characters allowed, with a line between that states how many characters
were left out. The limits are 20,000 characters for stdout and for stderr, 8,000 for a traceback,
2,000 for a value or message.

Correct code can observe these differences from a single process: in the candidate's stack there
are no frames of planish or of the tests; calls from two threads of the tests run one after the
other; a builtin name is Python's own in the tests, unless it is the name under test; of the names
that tests define, the candidate sees modules, classes, and names it defines itself.
"""

from typing import TYPE_CHECKING

from planish.guest.protocol import bounded
from planish.loading import load_on_use

if TYPE_CHECKING:
    from planish.verification._bundle import PYTEST_INI, VERIFIER, verifier_bundle
    from planish.verification._output import decode_output
    from planish.verification._pair_runs import PairRuns
    from planish.verification._programs import PreparedPrograms, prepare
    from planish.verification._reading import read_execution, read_step, reject
    from planish.verification._syntax import syntax_failure

__all__ = [
    "PYTEST_INI",
    "VERIFIER",
    "PairRuns",
    "PreparedPrograms",
    "bounded",
    "decode_output",
    "prepare",
    "read_execution",
    "read_step",
    "reject",
    "syntax_failure",
    "verifier_bundle",
]

_HOMES = {
    "_bundle": "PYTEST_INI VERIFIER verifier_bundle",
    "_output": "decode_output",
    "_pair_runs": "PairRuns",
    "_programs": "PreparedPrograms prepare",
    "_reading": "read_execution read_step reject",
    "_syntax": "syntax_failure",
}

if not TYPE_CHECKING:  # else a checker takes any name for an object, misspelt ones too
    __getattr__ = load_on_use(__name__, _HOMES)


def __dir__() -> list[str]:
    return __all__
