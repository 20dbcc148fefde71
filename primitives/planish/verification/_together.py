"""Which tests cannot be judged apart from the candidate, and so run in its process."""

import ast
from collections.abc import Mapping
from functools import lru_cache

from planish.data.tests import Assertions, PytestFile, Tests
from planish.verification._plan import tree_of

__all__ = ["why_together"]

# What tests look at with these lives in one process: log records, warnings, descriptors, the
# signatures of classes, objects whose equality is that of their class.
_LOGS = ("assertLogs", "assertNoLogs", "caplog")
_WARNINGS = ("assertWarns", "assertWarnsRegex", "catch_warnings", "deprecated_call", "recwarn")
_REASONS: Mapping[str, str] = {
    **dict.fromkeys(_LOGS, "log records"),
    **dict.fromkeys((*_WARNINGS, "warns"), "warnings"),
    **dict.fromkeys(("capfd", "capfdbinary"), "what is written to descriptors"),
    **dict.fromkeys(("create_autospec", "autospec"), "signatures of the code's classes"),
    "SimpleNamespace": "objects of a library's own class",
}


def why_together(tests: Tests | None) -> str:
    """Say why tests have to run in the candidate's process; "" where they do not.

    Only the tests decide: a candidate cannot choose to be judged in its own process.

    Args:
        tests: The tests of a task.
    """
    match tests:
        case Assertions():
            return _reason(tests.code)
        case PytestFile():
            sources = [tests.source]
            sources += [text for path, text in tests.files.items() if path.endswith(".py")]
            reasons = [_reason(source) for source in sources]
            return next((reason for reason in reasons if reason), "")
        case _:
            return ""


@lru_cache(maxsize=64)
def _reason(code: str) -> str:
    for node in ast.walk(tree_of(code)):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                pass
            case ast.keyword(arg=str(name)) | ast.alias(name=name):
                pass
            case _:
                continue
        if name in _REASONS:
            return (
                f"the tests look at {_REASONS[name]} with {name!r}, which is possible in the "
                "candidate's own process only: they ran there"
            )
    return ""
