"""The plan of a verification: what the programs in the sandbox do, for each kind of tests."""

import ast
import marshal
import os
import sys
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from planish.compiling import without_warnings
from planish.data.candidate import Candidate
from planish.data.literal import to_source
from planish.data.source import bound_names, undefined_names_in
from planish.data.tests import Assertions, Case, Cases, PytestFile, StdioPairs
from planish.data.tests.checks import is_main_block, statements
from planish.data.tests.code import checks_in
from planish.guest.protocol import compile_tests
from planish.verification._analysis import nodes_of, tree_of
from planish.verification._candidate_files import main_file, modules, task_modules

__all__ = ["RESULTS", "assert_facts", "merge_preamble", "plan", "preamble_place"]


RESULTS = "_planish.jsonl"
_HOOK = f"@{os.urandom(8).hex()}"
_RUNNERS = ("unittest.main", "pytest.main", "sys.exit")


@lru_cache(maxsize=64)
def _needed_names(code: str, preamble: str) -> frozenset[str]:
    """Return the names that test code uses and only a candidate can define."""
    return undefined_names_in(nodes_of(code)) - (bound_names(preamble) if preamble else frozenset())


@lru_cache(maxsize=64)
def _names_imported(code: str) -> tuple[list[str], list[str]] | None:
    """Return the names that test code takes from the module `solution`; None if it imports none.

    Then those of them that it also uses where it may mean Python's function of that name: it has
    imported them at the top of no file, or with a star, or later.
    """
    modules: set[str] = set()
    plain: dict[str, int] = {}
    imports: set[str] = set()
    top = tree_of(code).body
    found = False
    for node in nodes_of(code):
        match node:
            case ast.Import(names):
                modules |= {one.asname or one.name for one in names if one.name == "solution"}
            case ast.ImportFrom("solution", names, 0):
                found = True
                imports |= {one.name for one in names}
                same = [one.name for one in names if one.asname in (None, one.name)]
                plain |= dict.fromkeys(same if node in top else (), node.lineno)
            case _:
                continue
    if not found and not modules:
        return None
    used: dict[str, int] = {}
    for node in nodes_of(code):
        match node:
            case ast.Attribute(ast.Name(name), attribute) if name in modules:
                imports.add(attribute)
            case ast.Name(name, ast.Load()):
                used[name] = min(node.lineno, used.get(name, node.lineno))
            case _:
                continue
    imports |= used.keys() if "*" in imports else set()
    unclear = {name for name, line in used.items() if line < plain.get(name, line + 1)}
    return sorted(imports), sorted(imports & unclear)


def plan(candidate: Candidate) -> dict[str, Any]:
    """Return the plan for a Python candidate, as JSON data that the verifier reads.

    It has no secret: equal candidates and tests have equal plans.
    """
    task = candidate.task
    facts: dict[str, Any] = {
        "mode": "script",
        "name": "__main__",
        "files": ["preamble.py", "solution.py"] if task.preamble else ["solution.py"],
        "candidate": "solution.py",
        "test_file": "tests.py",
        "offset": 0,
        "results": RESULTS,
        "modules": modules(candidate),
    }
    if task.files:
        facts["inputs"] = {"paths": list(task.files), "modules": task_modules(candidate)}
    match task.tests:
        case Assertions() as tests:
            entry = task.required_name if task.entry_point else None
            facts |= {**_assertions_plan(tests), "entry": entry, "preamble": task.preamble}
            facts["needs"] = sorted(_needed_names(tests.code, task.preamble))
            imports = _names_imported(tests.code)
            # The main module of a script is not the module that it imports.
            facts["imports"] = ([], []) if imports and tests.run_as == "script" else imports
        case Cases() as tests:
            facts |= _cases_plan(tests, task.entry_point or "")
        case PytestFile() as tests:
            facts |= _pytest_plan(tests, candidate)
        case StdioPairs() | None:
            pass
    return facts


def _assertions_plan(tests: Assertions) -> Mapping[str, Any]:
    tree = tree_of(tests.code)
    checks = checks_in(tests.code)
    skip: list[int] = []
    if any(check.statement is None for check in checks.expected):
        skip = [index for index, node in enumerate(statements(tree)) if _starts_test_run(node)]
    return {
        "mode": "checks",
        "name": "__main__" if tests.run_as == "script" else "solution",
        "tests": tests.code,
        "checks": [[check.statement, check.name] for check in checks.expected],
        "used": None if checks.used is None else sorted(checks.used),
        "inline": [
            index
            for index, node in enumerate(tree.body)
            if isinstance(node, ast.If) and is_main_block(node)
        ],
        "skip": skip,
    }


def assert_facts(facts: Mapping[str, Any], *, shared_process: bool) -> Mapping[str, Any]:
    """Return the name of the function that asserts report to, and the compiled tests.

    The name is random, so that no program can contain it. It is the same for all programs of this
    process that run in two processes, because the candidate's process then lacks the function.

    Args:
        facts: The plan.
        shared_process: True if the tests run in the candidate's process.
    """
    if shared_process:
        return {"hook": f"@{os.urandom(8).hex()}"}
    inline, skip = tuple(facts["inline"]), tuple(facts["skip"])
    return {"hook": _HOOK, "compiled": (sys.version, _compiled_tests(facts["tests"], inline, skip))}


@lru_cache(maxsize=64)
def _compiled_tests(code: str, inline: tuple[int, ...], skip: tuple[int, ...]) -> bytes:
    """Return compiled test code as data; b"" if it does not compile: the verifier reports why."""
    try:
        with without_warnings():
            return marshal.dumps(compile_tests(code, _HOOK, inline, skip, 0))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return b""


def _starts_test_run(node: ast.stmt) -> bool:
    """Return whether a statement is `unittest.main()` or the like, which ends the program."""
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
        return False
    functions = [n.func for n in ast.walk(node.value) if isinstance(n, ast.Call)]
    names = [ast.unparse(function) for function in functions]
    return all(name in _RUNNERS for name in names) and names != ["sys.exit"]


def _cases_plan(tests: Cases, entry: str) -> Mapping[str, Any]:
    return {
        "mode": "cases",
        "name": "solution",
        "entry": entry,
        "cases": [_case_plan(case, tests) for case in tests.cases],
    }


def _case_plan(case: Case, tests: Cases) -> Mapping[str, Any]:
    expected = to_source(case.expected)
    tolerance = tests.tolerance_of(case)
    return {
        "args": to_source(case.args),
        "kwargs": to_source(case.kwargs),
        "expected": expected,
        "predicate": None if case.predicate is None else case.predicate.strip(),
        "tolerance": [tolerance.absolute, tolerance.relative],
        "any_sequence": tests.sequences == "any",
        # Equal values may differ in length: 10000000000000000.0 and 1e16, True and 1.
        "limit": 20 * len(expected) + 10_000,
    }


def _pytest_plan(tests: PytestFile, candidate: Candidate) -> Mapping[str, Any]:
    _, offset = merge_preamble(candidate.task.preamble, candidate.code)
    return {
        "mode": "pytest",
        "name": tests.module,
        "files": [],
        "candidate": main_file(candidate),
        "test_file": tests.filename,
        "offset": offset,
        "tests": {tests.filename: tests.source, **tests.files},
        "plugins": list(tests.plugins),
    }


def merge_preamble(preamble: str, code: str) -> tuple[str, int]:
    """Return preamble and candidate as one file, and the number of lines before the candidate.

    `__future__` imports move to the top of the file, where Python requires them.
    """
    code = code.removeprefix("\ufeff")
    if not preamble:
        return code, 0
    preamble, first = _blank_future_imports(preamble)
    code, second = _blank_future_imports(code)
    top = "".join(f"from __future__ import {name}\n" for name in dict.fromkeys(first + second))
    front = f"{top}{preamble.rstrip()}\n"
    return front + code, front.count("\n")


def preamble_place(candidate: Candidate, file: str, line: int) -> int | None:
    """Return the line of the preamble that a frame of a traceback is at; None for another place.

    Args:
        candidate: The candidate.
        file: The frame's file.
        line: Its line, counted from the first line of the candidate's code if both are one file.
    """
    task = candidate.task
    if not isinstance(task.tests, PytestFile):
        return line if file == "preamble.py" else None
    if file != main_file(candidate) or line > 0:
        return None
    _, offset = merge_preamble(task.preamble, candidate.code)
    # Imports that were moved to the top stand before the preamble.
    return max(1, line + task.preamble.rstrip().count("\n") + 1) if line + offset > 0 else None


def _blank_future_imports(code: str) -> tuple[str, list[str]]:
    """Return the code with its `__future__` imports blanked, and the names they import."""
    try:
        body = tree_of(code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return code, []  # the Python in the sandbox reports the error
    names: list[str] = []
    lines = code.split("\n")
    for node in body:
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            names += [alias.name for alias in node.names]
            last = (node.end_lineno or node.lineno) - 1
            raw = lines[node.lineno - 1].encode()[: node.col_offset].decode()
            rest = lines[last].encode()[node.end_col_offset :].decode()
            lines[node.lineno - 1 : last + 1] = [f"{raw}pass{rest}"] + [""] * (
                last + 1 - node.lineno
            )
    return "\n".join(lines), names
