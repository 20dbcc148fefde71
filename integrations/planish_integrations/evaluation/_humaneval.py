"""Problems in the format HumanEval is published in: `prompt`, `canonical_solution`, `test`."""

import ast
import doctest
from collections.abc import Iterator, Mapping
from typing import Any

from planish_integrations.evaluation._jsonl import text_field
from planish_integrations.evaluation._problem import Problem

__all__ = ["examples", "from_humaneval", "head"]


def from_humaneval(row: Mapping[str, Any]) -> Problem | None:
    """The problem of a row; None when the row is of another format."""
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
    """What stands before the wanted function in the prompt: imports and helpers."""
    node = _function(prompt, name)
    if node is None:
        return ""
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    return "".join(prompt.splitlines(keepends=True)[: first - 1])


def examples(prompt: str, name: str) -> Iterator[str]:
    """The examples of the wanted function's docstring, as assertions.

    Only those that compare two expressions: an example that shows a traceback, or no value,
    asserts nothing.
    """
    node = _function(prompt, name)
    text = None if node is None else ast.get_docstring(node)
    try:
        found = doctest.DocTestParser().get_examples(text or "")
    except ValueError:
        return  # the docstring is not quite a doctest; its author did not promise one
    for example in found:
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
