"""A composition is drawn as a Mermaid flowchart: every step once, and the feedback of loops."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.kit import LAW, Tally, attempt
from tests.laws.nestings import Spec, specs

from planish.combinators.best_of import BestOf
from planish.combinators.cache import Cache
from planish.combinators.escalate import Escalate
from planish.combinators.fallback import Fallback
from planish.combinators.map import Map
from planish.combinators.retry import Retry
from planish.combinators.route import Route
from planish.combinators.sequential import Sequential
from planish.combinators.timeout import Timeout
from planish.data.task import Task
from planish.runtime.diagram import Links, Node, flowchart
from planish.runtime.primitive import Primitive, walk
from planish.steps.function import step
from planish.stores import MemoryStore

LABEL = r'"((?:[^"#]|#\d+;)+)"'
NODE = re.compile(rf"(\w+)(?:\(\[{LABEL}\]\)|\[{LABEL}\]|{{{{{LABEL}}}}})")
FRAME = re.compile(rf"subgraph (\w+)\[{LABEL}\]")
EDGE = re.compile(rf"(\w+) (-->|-\.->)(?:\|{LABEL}\|)? (\w+)")


@dataclass
class Chart:
    """What is read of a flowchart.

    Attributes:
        nodes: Label by name.
        frames: Label by name.
        edges: From, to and label; those that are dotted apart.
    """

    nodes: dict[str, str] = field(default_factory=dict[str, str])
    frames: dict[str, str] = field(default_factory=dict[str, str])
    edges: list[tuple[str, str, str]] = field(default_factory=list[tuple[str, str, str]])
    back: list[tuple[str, str, str]] = field(default_factory=list[tuple[str, str, str]])

    def labels(self) -> Counter[str]:
        """How often each label is on a node or frame."""
        steps = {k: v for k, v in self.nodes.items() if k not in ("input", "output")}
        return Counter([*steps.values(), *self.frames.values()])

    def links(self) -> set[tuple[str, str, str]]:
        """Plain edges between steps, by the labels of what they connect."""
        inside = [edge for edge in self.edges if {"input", "output"}.isdisjoint(edge)]
        return {(self.nodes[a], self.nodes[b], label) for a, b, label in inside}

    def outside(self) -> tuple[list[str], list[str]]:
        """The labels of the steps that the input leads to, and that lead to the output."""
        first = [self.nodes[b] for a, b, _ in self.edges if a == "input"]
        return first, [self.nodes[a] for a, b, _ in self.edges if b == "output"]


def unescaped(label: str | None) -> str:
    return re.sub(r"#(\d+);", lambda found: chr(int(found[1])), label or "")


def read(text: str) -> Chart:
    """Read a flowchart; anything that is not of the grammar fails."""
    header, *lines = text.splitlines()
    assert header == "flowchart TD"
    assert text.endswith("\n")
    chart, depth = Chart(), 1
    for line in lines:
        written = line.strip()
        depth -= written == "end"
        assert line == "    " * depth + written
        if frame := FRAME.fullmatch(written):
            depth += 1
            chart.frames[frame[1]] = unescaped(frame[2])
        elif edge := EDGE.fullmatch(written):
            kind = chart.edges if edge[2] == "-->" else chart.back
            kind.append((edge[1], edge[4], unescaped(edge[3])))
        elif node := NODE.fullmatch(written):
            assert node[1] not in chart.nodes
            chart.nodes[node[1]] = unescaped(node[2] or node[3] or node[4])
        else:
            assert written == "end"
    assert depth == 1
    assert {end for edge in chart.edges + chart.back for end in edge[:2]} == set(chart.nodes)
    return chart


def plan(task: Task) -> Task:
    return task


def review(task: Task) -> Task:
    return task


def size(value: object) -> str:
    return str(value)


def title(value: object) -> str:
    return str(value).title()


a, b = step(plan), step(review)
one = attempt([1], name="one")

# What is drawn, and the edges of it, by the labels of the nodes.
DRAWN: dict[str, tuple[Any, set[tuple[str, str, str]]]] = {
    "step": (a, set()),
    "sequence": (a >> b, {("plan", "review", "")}),
    "fork and join": (
        (a & b) >> size,
        {
            ("Parallel", "plan", ""),
            ("Parallel", "review", ""),
            ("plan", "size", ""),
            ("review", "size", ""),
        },
    ),
    "two forks": (
        (a & b) >> (step(size) & step(title)) >> size,
        {
            *(("Parallel", to, "") for to in ("plan", "review", "size", "title")),
            *((of, "Parallel", "") for of in ("plan", "review")),
            *((of, "size", "") for of in ("size", "title")),
        },
    ),
    "routes": (
        Route(size, {'the "small" one': a, "big": b}),
        {("Route(size)", "plan", 'the "small" one'), ("Route(size)", "review", "big")},
    ),
    "fallback": (
        Fallback(a, b, b),
        {("Fallback", "plan", "first"), ("Fallback", "review", "on failure")},
    ),
    "escalation": (
        Escalate(a, b),
        {("Escalate", "plan", "attempt 1"), ("Escalate", "review", "attempt 2 and later")},
    ),
    "candidates": (
        BestOf(one, n=3, concurrency=2),
        {
            ("BestOf(n=3, concurrency=2)", "CodeGenerator(Player('one'))", "3 candidates"),
            ("CodeGenerator(Player('one'))", "grade", ""),
            ("grade", "Validator()", ""),
        },
    ),
    "items": (Map(a, concurrency=4), {("Map(concurrency=4)", "plan", "each item")}),
    "frames": (Timeout(Cache(a >> b, store=MemoryStore()), seconds=3), {("plan", "review", "")}),
}


@pytest.mark.parametrize("kind", DRAWN)
def test_branches_are_drawn_with_their_labels(kind: str) -> None:
    pipeline, links = DRAWN[kind]
    chart = read(pipeline.to_mermaid())
    assert chart.links() == links
    assert chart.back == []


def test_a_loop_has_an_edge_back_with_its_feedback() -> None:
    chart = read(Retry(plan >> one, attempts=3).to_mermaid())
    assert list(chart.frames.values()) == ["Retry(attempts=3)"]
    ((end, start, label),) = chart.back
    assert (chart.nodes[end], chart.nodes[start], label) == ("Validator()", "plan", "feedback")
    assert (chart.nodes["input"], chart.nodes["output"]) == ("Task", "Report")
    assert chart.outside() == (["plan"], ["Validator()"])


def test_a_loop_over_branches_has_an_edge_back_from_each() -> None:
    chart = read(Retry(one | one, attempts=3).to_mermaid())
    back = [(chart.nodes[end], chart.nodes[start]) for end, start, _ in chart.back]
    assert back == [("Validator()", "Race")] * 2


def test_each_loop_goes_back_to_its_own_start() -> None:
    chart = read(Retry(Retry(one, attempts=2), attempts=3).to_mermaid())
    assert list(chart.frames.values()) == ["Retry(attempts=3)", "Retry(attempts=2)"]
    assert len(chart.back) == 2


@LAW
@given(specs())
def test_every_step_of_a_nesting_is_drawn_once(spec: Spec) -> None:
    pipeline = spec.build(Tally())
    chart = read(pipeline.to_mermaid())
    # A sequence has no label of its own; of the others, the class is enough to count them.
    steps = [one for one in walk(pipeline) if not isinstance(one, Sequential)]
    wanted = Counter(type(one).__name__ if one.children() else repr(one) for one in steps)
    drawn = Counter(
        label if label in wanted else label.partition("(")[0] for label in chart.labels().elements()
    )
    assert drawn == wanted
    loops = sum(isinstance(one, Retry) for one in steps)
    assert len({start for _, start, _ in chart.back}) <= loops <= len(chart.back)
    assert {label for _, _, label in chart.back} <= {"feedback"}


@LAW
@given(specs())
def test_all_is_reached_from_the_input_and_leads_to_the_output(spec: Spec) -> None:
    chart = read(spec.build(Tally()).to_mermaid())
    forward = [(start, end) for start, end, _ in chart.edges]
    assert reached("input", forward) == set(chart.nodes)
    assert reached("output", [(end, start) for start, end in forward]) == set(chart.nodes)


def reached(start: str, pairs: Sequence[tuple[str, str]]) -> set[str]:
    """The nodes that these edges lead to, the start included."""
    found, new = set[str](), {start}
    while new:
        found |= new
        new = {end for begin, end in pairs if begin in new} - found
    return found


class Vote(Primitive[Any, Any]):
    """A user's combinator: all of its steps, from a node."""

    def __init__(self, *voters: Primitive[Any, Any], least: int) -> None:
        self._voters = voters
        self._least = least

    async def _run(self, value: Any) -> Any:
        return value


class Twice(Vote):
    """One that says how its steps are connected."""

    def _links(self) -> Links:
        return Links("frame", back="again")


class Hidden(Primitive[Any, Any]):
    """One whose steps are in none of its arguments."""

    def __init__(self, name: str) -> None:
        self._title = name
        self._inner = a >> b

    async def _run(self, value: Any) -> Any:
        return await self._inner.run(value)


def test_a_combinator_of_a_user_is_drawn() -> None:
    chart = read(Vote(a, b, least=1).to_mermaid())
    assert chart.links() == {("Vote(least=1)", "plan", ""), ("Vote(least=1)", "review", "")}
    assert chart.outside() == (["Vote(least=1)"], ["plan", "review"])
    assert (chart.nodes["input"], chart.nodes["output"]) == ("input", "output")
    chart = read(Twice(a, b, least=1).to_mermaid())
    assert chart.back == [("n3", "n2", "again")]
    assert ("plan", "review", "") in chart.links()
    assert read(Vote(a, least=1).to_mermaid()).frames == {"n1": "Vote(least=1)"}
    assert read(Hidden("x").to_mermaid()).labels() == Counter(["Hidden('x')", "plan", "review"])


@given(st.text())
def test_any_label_can_be_read_back(label: str) -> None:
    text = flowchart(Node(label, Links("frame")), label, "out")
    flat = " ".join(label.split()) or " "
    cut = flat if len(flat) <= 100 else f"{flat[:99]}…"
    assert read(text).nodes == {"input": cut, "n1": cut, "output": "out"}


def test_labels_hold_no_character_that_mermaid_reads() -> None:
    label = Node('a "b" #c; <d> & `e` %% $$ | ~ -.-> \\', Links("frame"))
    quoted = flowchart(label, "", "").splitlines()[2].partition('["')[2].rpartition('"]')[0]
    assert not set('"<>&`%$|~\\') & set(quoted)
