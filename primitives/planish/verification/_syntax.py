"""Find what is wrong with a candidate without running it."""

import symtable
import traceback

from planish.compiling import without_warnings
from planish.data.candidate import Candidate
from planish.data.execution import Failure
from planish.guest.protocol import TRACEBACK, VALUE, bounded

__all__ = ["syntax_failure"]


_PARSED = 1_000_000  # characters; to look for syntax errors in so many takes 1.5 s
# To compile some programs of this length takes 0.2 s, and four times that for twice the
# length: functions of one name, which CPython compares with one another.
_COMPILED = 50_000
_FILE = "solution.py"
_UNREAD = "<solution.py>"  # of a name like the above CPython would read the host's own file
_PROBLEMS = {
    "empty_reply": ("EmptyReply", "the reply was empty: answer with the whole program"),
    "no_code": ("NoCode", "the reply held no code: answer with the whole program in one block"),
    "truncated": (
        "TruncatedReply",
        "the reply was cut off at the token limit: write a shorter program, or allow more tokens",
    ),
}


def syntax_failure(candidate: Candidate) -> Failure | None:
    """What keeps a candidate from being run at all; None where nothing is known to.

    There is no code, there is over 1 MB of it, or it is Python that does not compile. Above
    50,000 characters only what the parser and the scopes say is found here; the rest is
    found in the sandbox. Code in other languages is not looked at.
    """
    if candidate.problem is not None:
        name, message = _PROBLEMS[candidate.problem]
        return Failure(name=name, message=message)
    if candidate.task.language != "python":
        return None
    code = candidate.code.removeprefix("\ufeff")
    if len(code) > _PARSED:
        return Failure(
            name="CodeTooLarge",
            message=f"the code has {len(code)} characters: write at most {_PARSED}",
        )
    return _compiled(code)


def _compiled(code: str) -> Failure | None:
    try:
        with without_warnings():
            if len(code) > _COMPILED:
                symtable.symtable(code, _UNREAD, "exec")
            else:
                compile(code, _UNREAD, "exec", dont_inherit=True)
    except SyntaxError as error:
        return _failure(error, code)
    except (RecursionError, MemoryError):
        return _failure(SyntaxError("the code is nested too deeply"), code)
    except UnicodeEncodeError as error:
        return _failure(_at("the code holds half a character", code, error.start), code)
    except ValueError as error:
        return _failure(_at(str(error), code, code.find("\0")), code)
    return None


def _at(message: str, code: str, index: int) -> SyntaxError:
    before = code[:index].split("\n")
    line, column = len(before), len(before[-1]) + 1
    text = ascii(code.split("\n")[line - 1])[1:-1]
    return SyntaxError(message, (_FILE, line, column, text))


def _failure(error: SyntaxError, code: str) -> Failure:
    lines = code.split("\n")
    line = error.lineno if error.lineno and 0 < error.lineno <= len(lines) else None
    text = error.text or (lines[line - 1] if line else "")
    # In a line that is cut the caret would point at nothing.
    ends = (None, None) if len(text) > VALUE else (error.offset, error.end_offset)
    text = bounded(text.rstrip("\r\n"), VALUE)
    place = (_FILE, line, ends[0], text, error.end_lineno, ends[1])
    shown = type(error)(error.msg, place) if line else type(error)(error.msg)
    rendered = "".join(traceback.format_exception_only(type(shown), shown))
    return Failure(
        name=type(error).__name__,
        message=bounded(error.msg, VALUE),
        traceback=bounded(rendered.encode("utf-8", "backslashreplace").decode(), TRACEBACK),
        line=line,
        offset=error.offset or None,
        text=text,
    )
