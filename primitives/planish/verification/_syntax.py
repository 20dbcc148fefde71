"""Failures of a candidate that are found without running it."""

import ast
import symtable
import traceback

from planish.compiling import without_warnings
from planish.data.candidate import Candidate
from planish.data.execution import Failure
from planish.guest.protocol import TRACEBACK, VALUE, bounded
from planish.verification._candidate_files import file_failure

__all__ = ["syntax_failure"]


_MAX_PARSED = 1_000_000  # characters; to parse so many takes 1.5 s
# Characters. To compile a program of this length takes up to 0.2 s, and four times as long for
# twice the length: CPython compares functions of one name with each other.
_MAX_COMPILED = 50_000
_FILE = "solution.py"
_COMPILE_NAME = "<solution.py>"  # for `_FILE` CPython would read a file of the host
_PROBLEMS = {
    "empty_reply": ("EmptyReply", "the reply was empty: answer with the whole program"),
    "no_code": ("NoCode", "the reply has no code: answer with the whole program in one block"),
    "truncated": (
        "TruncatedReply",
        "the reply was cut off at the token limit: write a shorter program, or allow more tokens",
    ),
    "edit_failed": (
        "EditFailed",
        "the reply is an edit that does not fit the previous code: answer with the whole program",
    ),
}


def syntax_failure(candidate: Candidate, *, step: bool = False) -> Failure | None:
    """Return why a candidate cannot be run; None if no reason is found.

    The reply has no code or was cut off; a step refused the candidate; its files cannot be laid
    out; the code has over 1,000,000 characters; or it is Python that does not compile. Above
    50,000 characters only errors of the parser and of scopes are found here, others in the
    sandbox. Code in other languages is not examined.

    Args:
        candidate: The candidate.
        step: Whether it is run as a step of a session, which may have `await` outside functions.
    """
    if candidate.problem is not None:
        # A text that is no problem of the list is the reason of a step that refused the code.
        name, message = _PROBLEMS.get(candidate.problem, ("Refused", candidate.problem))
        if candidate.refusals:
            message = "; ".join(refusal.issue for refusal in candidate.refusals)
        return Failure(name=name, message=bounded(message, VALUE))
    failure = file_failure(candidate)
    if failure is not None or candidate.task.language != "python":
        return failure
    code = candidate.code.removeprefix("\ufeff")
    if len(code) > _MAX_PARSED:
        return Failure(
            name="CodeTooLarge",
            message=f"the code has {len(code)} characters: write at most {_MAX_PARSED}",
        )
    return _compile_failure(code, ast.PyCF_ALLOW_TOP_LEVEL_AWAIT if step else 0)


def _compile_failure(code: str, flags: int) -> Failure | None:
    try:
        with without_warnings():
            if len(code) > _MAX_COMPILED:
                symtable.symtable(code, _COMPILE_NAME, "exec")
            else:
                compile(code, _COMPILE_NAME, "exec", flags, dont_inherit=True)
    except SyntaxError as error:
        return _failure(error, code)
    except (RecursionError, MemoryError):
        return _failure(SyntaxError("the code is nested too deeply"), code)
    except UnicodeEncodeError as error:
        return _failure(_error_at("the code has half a surrogate pair", code, error.start), code)
    except ValueError as error:
        return _failure(_error_at(str(error), code, code.find("\0")), code)
    return None


def _error_at(message: str, code: str, index: int) -> SyntaxError:
    before = code[:index].split("\n")
    line, column = len(before), len(before[-1]) + 1
    text = ascii(code.split("\n")[line - 1])[1:-1]
    return SyntaxError(message, (_FILE, line, column, text))


def _failure(error: SyntaxError, code: str) -> Failure:
    lines = code.split("\n")
    line = error.lineno if error.lineno and 0 < error.lineno <= len(lines) else None
    text = error.text or (lines[line - 1] if line else "")
    # A caret would point nowhere in a line that is cut.
    ends = (None, None) if len(text) > VALUE else (error.offset, error.end_offset)
    text = bounded(text.rstrip("\r\n"), VALUE)
    place = (_FILE, line, ends[0], text, error.end_lineno, ends[1])
    located = type(error)(error.msg, place) if line else type(error)(error.msg)
    rendered = "".join(traceback.format_exception_only(type(located), located))
    return Failure(
        name=type(error).__name__,
        message=bounded(error.msg, VALUE),
        traceback=bounded(rendered.encode("utf-8", "backslashreplace").decode(), TRACEBACK),
        line=line,
        offset=error.offset or None,
        text=text,
    )
