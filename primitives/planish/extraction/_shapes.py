"""What a line of Python looks like when it stands among prose."""

import re

__all__ = ["is_broken_code", "is_broken_line", "may_start"]

# What a statement can start with. Lenient: what starts so must also parse.
_START = re.compile(
    r"@\w|(?:async|def|class|import|from|if|for|while|with|try|match|return|raise|assert|del"
    r"|global|nonlocal|pass|break|continue|yield|await)\b"
    r"|[A-Za-z_(\[][\w.,()\[\] \t\"'*:]{0,200}?[-+*/%&|^@<>]{0,3}=(?!=)"
    r"|[A-Za-z_][\w.]{0,200}\("
)
# Definitions, and headers with an indented line after them: code even when they do not parse.
_BROKEN = re.compile(
    r"(?:@\w[^\n]*\n)*"
    r"(?:(?:async[ \t]+)?def[ \t]+\w+[ \t]*\("
    r"|class[ \t]+\w+[ \t]*[(:]"
    r"|(?:(?:async[ \t]+)?def|class)[ \t]+\w+[^\n]*\n\s*[ \t]\S"
    r"|for[ \t]+[\w, ()]{1,200}[ \t]in[ \t]+[\w.\[\]]+[^\n]*\n\s*[ \t]\S"
    r"|(?:if|while|with)[ \t][^\n]*[()<>=][^\n]*\n\s*[ \t]\S"
    r"|try[^\n\w]*\n\s*[ \t]\S)"
)
# An assignment or a call: enough beside lines that are code, not enough alone.
_BROKEN_LINE = re.compile(r"[A-Za-z_][\w.\[\]'\"]*(?:[ \t]*[-+*/%&|^@<>]{0,2}=|\()")


def may_start(line: str, position: int) -> bool:
    """Whether a statement may start at `position`, the first character that is not indent."""
    return _START.match(line, position) is not None


def is_broken_code(code: str) -> bool:
    """Whether what does not parse is code all the same."""
    return _BROKEN.match(code) is not None


def is_broken_line(code: str) -> bool:
    """Whether what does not parse is code if its neighbours are."""
    return _BROKEN_LINE.match(code) is not None
