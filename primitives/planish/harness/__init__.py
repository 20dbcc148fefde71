"""Turns a candidate and its tests into programs, and how they ended into evidence.

In the sandbox the candidate and the tests run in one process, each compiled by itself, so
that a line number is the candidate's own. Every test is run and recorded for itself, when it
begins and when it has ended: what happened before a time-out or a crash is known, and a test
counts as passed only when the record of its passing is there. Values of `Cases`, and what
programs print, are compared on the host.

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

In one process with the tests, a program that sets out to can make them lie. What this keeps
out is what happens by mistake, and the simple tricks: leaving early, printing what a runner
prints, replacing builtins, objects that are equal to everything.
"""

from planish.harness._bounds import bounded, text
from planish.harness._programs import programs
from planish.harness._read import not_run, read
from planish.harness._syntax import syntax_failure

__all__ = ["bounded", "not_run", "programs", "read", "syntax_failure", "text"]
