"""Draw a composition of primitives as a Mermaid flowchart (https://mermaid.js.org)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, pairwise
from typing import Literal

__all__ = ["Links", "Node", "flowchart"]

_LONGEST = 100  # characters of a label; what is longer is cut
_SPECIAL = re.compile(r"[^\w\s.,:=()\[\]{}'+*/!?…-]")


@dataclass(frozen=True, slots=True)
class Links:
    """The edges of a diagram between a primitive and its children.

    Attributes:
        shape: "sequence": one child after the other, without a node for the primitive.
            "frame": the same, in a frame with the primitive's name. "fork": a node for the
            primitive, with an edge to each child.
        labels: Labels of the edges to the children, in order; for a fork. Children without a
            label have plain edges.
        back: Label of an edge from the end of the last child back to the first; None for none.
    """

    shape: Literal["sequence", "frame", "fork"]
    labels: Sequence[str] = ()
    back: str | None = None


@dataclass(frozen=True, slots=True)
class Node:
    """A primitive as it is drawn.

    Attributes:
        label: Its text.
        links: How its children are connected.
        children: The primitives within it.
    """

    label: str
    links: Links
    children: tuple["Node", ...] = ()


@dataclass(frozen=True, slots=True)
class _Part:
    """What is drawn of a node: the lines, the node it starts at and those it ends at."""

    lines: tuple[str, ...]
    start: str
    ends: tuple[str, ...]


def flowchart(root: Node, input_name: str, output_name: str) -> str:
    """Return the text of a Mermaid flowchart. Equal nodes give equal text.

    Args:
        root: The pipeline.
        input_name: Label of the start, such as the name of the input's type.
        output_name: Label of the end.
    """
    part = _draw(root, count(1))
    lines = (
        f"input([{_quote(input_name)}])",
        *part.lines,
        f"output([{_quote(output_name)}])",
        f"input --> {part.start}",
        *(f"{end} --> output" for end in part.ends),
    )
    return "\n".join(("flowchart TD", *(f"    {line}" for line in lines))) + "\n"


def _draw(node: Node, numbers: Iterator[int]) -> _Part:
    name = f"n{next(numbers)}"
    children = [_draw(child, numbers) for child in node.children]
    if not children:
        return _Part((f"{name}[{_quote(node.label)}]",), name, (name,))
    if node.links.shape == "fork":
        part = _fork(name, node, children)
    else:
        part = _sequence(name, node, children)
    if node.links.back is None:
        return part
    back = (f"{end} -.->|{_quote(node.links.back)}| {part.start}" for end in part.ends)
    return _Part((*part.lines, *back), part.start, part.ends)


def _fork(name: str, node: Node, children: Sequence[_Part]) -> _Part:
    labels = node.links.labels
    lines = [f"{name}{{{{{_quote(node.label)}}}}}"]
    for index, child in enumerate(children):
        label = f"|{_quote(labels[index])}|" if index < len(labels) else ""
        lines += [*child.lines, f"{name} -->{label} {child.start}"]
    return _Part(tuple(lines), name, tuple(end for child in children for end in child.ends))


def _sequence(name: str, node: Node, children: Sequence[_Part]) -> _Part:
    lines = [line for child in children for line in child.lines]
    lines += [
        f"{end} --> {after.start}" for before, after in pairwise(children) for end in before.ends
    ]
    if node.links.shape == "frame":
        lines = [
            f"subgraph {name}[{_quote(node.label)}]",
            *(f"    {line}" for line in lines),
            "end",
        ]
    return _Part(tuple(lines), children[0].start, children[-1].ends)


def _quote(text: str) -> str:
    """Return a label in quotes, with Mermaid's entity codes for what has a meaning there."""
    text = " ".join(text.split()) or " "  # an empty label is an error in Mermaid
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST - 1]}…"
    escaped = _SPECIAL.sub(lambda found: f"#{ord(found[0])};", text)
    return f'"{escaped}"'
