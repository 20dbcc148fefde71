"""Turns a candidate and its tests into programs, and how they ended into evidence.

In the sandbox two processes run. The *judge* holds the tests, the plan, the key that seals the
results, and their file; no other process of the same user can read its memory or descriptors
(where the system is Linux). The *candidate* is forked off before any of that is loaded, and is
reached through a pipe alone. Values cross it as data: what is plain (numbers, texts, containers,
dates, arrays) is compared by the judge with its own types, whatever the candidate has made of
them; everything else is a stand-in that has each operation done on the other side. A list, dict
or set exists on both sides and is kept in step, so that what a function does to its argument is
seen. Each of the two is compiled by itself, so that a line number is its own. Every test is run
and recorded for itself, when it begins and when it has ended: what happened before a time-out
or a crash is known, and a test counts as passed only when the sealed record of its passing is
there. Values of `Cases`, and what programs print, are compared on the host.

What stands for an attempt's end, the first that holds:

- `SYNTAX_ERROR`: the code does not compile, is cut off, or there is none.
- `TIMEOUT`, `RESOURCE_LIMIT`: a program was stopped at its time limit, or at another; or the
  first failure is a MemoryError or a RecursionError.
- `SUCCESS`: all tests passed; without tests, the exit code is 0.
- `RUNTIME_ERROR`: a signal killed the program, or no test passed; without tests, the exit
  code is not 0.
- `PARTIAL_SUCCESS`: some tests passed.

`Execution.failure` is the first thing that went wrong in time. Where that is no exception its
name is "Timeout", "ResourceLimit", "Killed", "EarlyExit" (the program ended itself before all
tests had run) or "ExitCode" (a program without tests); a value that the host finds wrong is an
"AssertionError".

Texts are bounded: of what is too long the first quarter and the last three quarters of what
may be kept stay, and a line between says how many characters were left out. 20,000 characters
are kept of stdout and of stderr each, 8,000 of a traceback, 2,000 of a value or message.

Limits. Honest code meets these differences to one process: tests see no harness and no tests in
a candidate's own stack; an object of the candidate's class that a function gave where a plain
value was expected is equal to it only if it is not equal to others of its kind as well, and is
ordered with numbers only by the number it converts to, unless the tests themselves make objects
of that class; two threads of the tests are served one after the other; arrays are copies; a
name that Python has is Python's for the tests, unless it is the entry point; of the names of
the tests the candidate sees modules, classes and what it defines itself. What remains to a
candidate that sets out to deceive: names that the tests use and neither define nor import are
its own; an argument that is changed in place is changed for the tests, too; its own methods say
what they like of its own objects; and tests that pass for wrong code pass.
"""

from planish.harness._bounds import bounded, text
from planish.harness._pairs import PairRuns
from planish.harness._programs import Prepared, prepare
from planish.harness._read import not_run, read
from planish.harness._syntax import syntax_failure

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
