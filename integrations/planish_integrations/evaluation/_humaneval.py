"""Read problems in HumanEval's format: `prompt`, `canonical_solution`, `test`."""

import ast
import doctest
from collections.abc import Iterator, Mapping
from typing import Any

from planish_integrations.evaluation._jsonl import text_field
from planish_integrations.evaluation._problem import Problem

__all__ = ["examples", "from_humaneval", "head"]


def from_humaneval(row: Mapping[str, Any]) -> Problem | None:
    """Return the problem of a row; None if the row has another format."""
    prompt, test = text_field(row, "prompt"), text_field(row, "test")
    name, task_id = text_field(row, "entry_point"), text_field(row, "task_id")
    if prompt is None or test is None or name is None or task_id is None:
        return None
    body = text_field(row, "canonical_solution")
    return Problem(
        bench="HumanEval",
        task_id=task_id,
        prompt=prompt,
        entry_point=name,
        preamble=head(prompt, name),
        tests=f"{test}\ncheck({name})\n",
        visible_tests=tuple(examples(prompt, name)),
        canonical_solution=None if body is None else prompt + body,
        counts={"test": 1},
    )


def head(prompt: str, name: str) -> str:
    """Return the part of the prompt before the function: imports and helpers."""
    node = _function(prompt, name)
    if node is None:
        return ""
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    return "".join(prompt.splitlines(keepends=True)[: first - 1])


def examples(prompt: str, name: str) -> Iterator[str]:
    """Yield the examples in the function's docstring as assertions.

    Only those with an expected value: an example with a traceback, or without a value, asserts
    nothing.
    """
    node = _function(prompt, name)
    text = None if node is None else ast.get_docstring(node)
    try:
        doctests = doctest.DocTestParser().get_examples(text or "")
    except ValueError:
        return  # the docstring is not a valid doctest, and need not be
    for example in doctests:
        call, value = example.source.strip(), example.want.strip()
        if _is_expression(call) and _is_expression(value):
            yield f"assert {call} == {value}"


def _function(prompt: str, name: str) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    try:
        body = ast.parse(prompt).body
    except SyntaxError:
        return None
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return next((n for n in body if isinstance(n, kinds) and n.name == name), None)


def _is_expression(text: str) -> bool:
    try:
        ast.parse(text, mode="eval")
    except SyntaxError:
        return False
    return bool(text)
