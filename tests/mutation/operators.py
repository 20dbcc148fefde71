"""One-line mutations of Python source: what each operator changes, found in the syntax tree."""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tests.mutation.skipped import is_skipped

__all__ = ["Mutation", "mutations"]

_COMPARED: Mapping[type[ast.cmpop], tuple[str, str]] = {
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
}
_COMPUTED: Mapping[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "*"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
    ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
}


@dataclass(frozen=True, slots=True)
class Mutation:
    """One change of one line.

    Attributes:
        operator: The kind of change: "compare", "constant", ...
        line: The line's number in the file, from 1.
        before: The line as it is, without its indentation.
        after: The line after the change.
        source: The whole file after the change.
        function: The first line of the innermost function around it, decorators included; None
            for code that runs when the module is imported.
    """

    operator: str
    line: int
    before: str
    after: str
    source: str
    function: int | None


@dataclass(frozen=True, slots=True)
class _Edit:
    operator: str
    line: int
    begin: int  # bytes within the line, as the syntax tree counts
    end: int
    text: str


def mutations(source: str) -> list[Mutation]:
    """List every one-line mutation of a module that compiles and changes its syntax tree."""
    tree = ast.parse(source)
    unchanged = ast.dump(tree)
    lines = source.splitlines(keepends=True)
    found: dict[str, Mutation] = {}
    for edit, function in _edits(tree, lines, None):
        changed = [*lines]
        changed[edit.line - 1] = _replaced(lines[edit.line - 1], edit)
        text = "".join(changed)
        try:
            dumped = ast.dump(ast.parse(text))
            compile(text, "mutant", "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            continue
        if dumped != unchanged:
            before, after = lines[edit.line - 1].strip(), changed[edit.line - 1].strip()
            found.setdefault(
                text, Mutation(edit.operator, edit.line, before, after, text, function)
            )
    return list(found.values())


def _replaced(line: str, edit: _Edit) -> str:
    content = line.encode()
    return (content[: edit.begin] + edit.text.encode() + content[edit.end :]).decode()


def _edits(
    node: ast.AST, lines: list[str], function: int | None
) -> Iterator[tuple[_Edit, int | None]]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        function = min(node.lineno, *(one.lineno for one in node.decorator_list), node.lineno)
    for child in ast.iter_child_nodes(node):
        if is_skipped(child, node):
            continue
        if getattr(child, "lineno", 0) == getattr(child, "end_lineno", None):
            yield from ((edit, function) for edit in _whole(child, lines))
        yield from ((edit, function) for edit in _between(child, lines))
        yield from _edits(child, lines, function)
    for test in _conditions(node):
        if test.lineno == test.end_lineno:
            text = f"not ({_text(test, lines)})"
            yield _over("inverted condition", test, text), function


def _whole(node: ast.AST, lines: list[str]) -> Iterator[_Edit]:
    """Changes that replace a node which stands on one line."""
    if isinstance(node, ast.stmt):
        yield from _statement(node)
    match node:
        case ast.Constant(value=value):
            if (text := _other_constant(value)) is not None:
                yield _over("constant", node, text)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield _over("boolean", node, f"({_text(operand, lines)})")
        case ast.Call(func=ast.Name(id="max" | "min")):
            pass  # their order does not matter
        case ast.Call(args=[ast.expr() as first, ast.expr() as second, *_]):
            yield from _swapped(first, second, lines)
        case _:
            pass


def _statement(node: ast.stmt) -> Iterator[_Edit]:
    match node:
        case (
            ast.Expr(value=ast.Call() | ast.Await())
            | ast.Assign(targets=[ast.Attribute() | ast.Subscript()])
            | ast.AugAssign()
            | ast.Delete(targets=[ast.Attribute() | ast.Subscript(), *_])
            | ast.Break()
            | ast.Continue()
        ):
            yield _over("dropped statement", node, "pass")
        case ast.Raise():
            yield _over("removed raise", node, "pass")
        case ast.Return(value=ast.expr() as value) if not _is_falsy(value):
            yield _over("early return", node, "return None")
        case _:
            pass


def _is_falsy(value: ast.expr) -> bool:
    """True for `None`, `False`, `0`, `""`, `()`, `[]` and `{}`: callers test them as None."""
    match value:
        case ast.Constant(value=constant):
            return not constant
        case ast.Tuple(elts=items) | ast.List(elts=items) | ast.Dict(values=items):
            return not items
        case _:
            return False


def _other_constant(value: object) -> str | None:
    match value:
        case bool():
            return str(not value)
        case int() | float():
            return str(value + 1)
        case "utf-8" | "ascii" | "latin-1":
            return None  # Python finds a codec with a "_" behind its name too
        case str() if re.fullmatch(r"[\w.-]+", value):  # a word, not a sentence of a message
            return repr(f"{value}_")
        case _:
            return None


def _between(node: ast.AST, lines: list[str]) -> Iterator[_Edit]:
    """Changes of an operator between two operands which stand on one line there."""
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            yield from _operator("compare", left, right, _COMPARED[type(op)], lines)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _COMPUTED:
            yield from _operator("arithmetic", left, right, _COMPUTED[type(op)], lines)
        case ast.BoolOp(op=op, values=[left, right, *_]):
            words = ("and", "or") if isinstance(op, ast.And) else ("or", "and")
            yield from _operator("boolean", left, right, words, lines)
        case _:
            pass


def _operator(
    name: str, left: ast.expr, right: ast.expr, words: tuple[str, str], lines: list[str]
) -> Iterator[_Edit]:
    # An operator may end one line or begin the next, wherever brackets allow.
    for number in {left.end_lineno or 0, right.lineno}:
        content = lines[number - 1].encode()
        begin = (left.end_col_offset or 0) if number == left.end_lineno else 0
        end = right.col_offset if number == right.lineno else len(content)
        at = content[begin:end].partition(b"#")[0].find(words[0].encode())
        if at >= 0:
            begin += at
            yield _Edit(name, number, begin, begin + len(words[0].encode()), words[1])
            return


def _swapped(first: ast.expr, second: ast.expr, lines: list[str]) -> Iterator[_Edit]:
    starred = isinstance(first, ast.Starred) or isinstance(second, ast.Starred)
    if starred or first.lineno != second.end_lineno:
        return
    one, other = _text(first, lines), _text(second, lines)
    if one != other:
        content = lines[first.lineno - 1].encode()
        between = content[first.end_col_offset : second.col_offset].decode()
        begin, end = first.col_offset, second.end_col_offset or 0
        text = f"{other}{between}{one}"
        yield _Edit("swapped arguments", first.lineno, begin, end, text)


def _conditions(node: ast.AST) -> Iterator[ast.expr]:
    match node:
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
            yield from () if is_skipped(node, node) or isinstance(test, ast.Constant) else (test,)
        case ast.comprehension(ifs=ifs):
            yield from ifs
        case ast.match_case(guard=ast.expr() as guard):
            yield guard
        case _:
            pass


def _over(operator: str, node: ast.expr | ast.stmt, text: str) -> _Edit:
    return _Edit(operator, node.lineno, node.col_offset, node.end_col_offset or 0, text)


def _text(node: ast.expr, lines: list[str]) -> str:
    return lines[node.lineno - 1].encode()[node.col_offset : node.end_col_offset].decode()
