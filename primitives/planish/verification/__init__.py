"""Turn a candidate and its tests into programs, and how they ended into evidence.

`docs/verdicts.md` says who may know and do what. In the sandbox two processes run: one that
judges, which has the tests, the secret and the record; and the candidate's, forked before any of
that was read, which is reached through a pipe alone. Values cross it as data; everything that is
not plain is a stand-in that has each operation done on the other side. A list, dict or set exists
on both sides and is kept in step. Each of the two is compiled by itself, so that a line number is
its own. Every test is run and recorded for itself, when it begins and when it has ended: what
happened before a time-out or a crash is known. Values of `Cases`, and what programs print, are
compared on the host.

What stands for an attempt's end, the first that holds:

- `SYNTAX_ERROR`: the code does not compile, is cut off, or there is none.
- `TIMEOUT`, `RESOURCE_LIMIT`: a program was stopped at its time limit, or at another; or the
  first failure is a MemoryError or a RecursionError.
- `SUCCESS`: all tests passed; without tests, the exit code is 0.
- `PARTIAL_SUCCESS`: some tests passed.
- `WRONG_ANSWER`: no test passed, and what was given was wrong.
- `RUNTIME_ERROR`: something was raised, or a signal killed the program; without tests, the exit
  code is not 0.

`Execution.failure` is the first thing that went wrong in time. Where that is no exception its
name is "Timeout", "ResourceLimit", "Killed", "EarlyExit" (the program ended itself before all
tests had run) or "ExitCode" (a program without tests); a value that the host finds wrong is an
"AssertionError".

Texts are bounded: of what is too long the first quarter and the last three quarters of what
may be kept stay, and a line between says how many characters were left out. 20,000 characters
are kept of stdout and of stderr each, 8,000 of a traceback, 2,000 of a value or message.

Honest code meets these differences to one process: tests see no frames of planish and of tests in
a candidate's own stack; two threads of the tests are served one after the other; a name that
Python has is Python's for the tests, unless it is what they test; of the names of the tests the
candidate sees modules, classes and what it defines itself.
"""

from planish.guest.protocol import bounded
from planish.verification._output import text
from planish.verification._pair_runs import PairRuns
from planish.verification._programs import Prepared, prepare
from planish.verification._reading import not_run, read
from planish.verification._syntax import syntax_failure

__all__ = [
    "PairRuns",
    "Prepared",
    "bounded",
    "not_run",
    "prepare",
    "read",
    "syntax_failure",
    "text",
]
