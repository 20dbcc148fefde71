"""What the tests ask for, where names, functions or classes of theirs have a say."""

from tests.forging.subject import Subject, about

__all__ = ["NAMED_SUBJECTS"]


def _square(*facts: str, before: str) -> Subject:
    return about("square", "x * x", "0", *facts, before=before)


def _held(before: str, held: str = "checks", given: str = "") -> Subject:
    """A square that is compared by what the tests keep, after the code was given it."""
    return about(
        "square",
        "x * x if isinstance(x, int) else None",
        "0",
        f"{held}['same'](square(7), 49)",
        f"{held}['same'](square(9), 81)",
        before=f"from collections import UserDict\n{before}square({given or held})\n",
    )


_ROW = (
    "class Row:\n"
    "    def __init__(self, x):\n"
    "        self.x = x\n"
    "    def __eq__(self, other):\n"
    "        return self.x == other.x\n"
    "    def has(self, x):\n"
    "        return self.x == x\n"
)

_SHAPE = """class Square:
    def __init__(self, x):
        self.x = x
    def area(self):
        return {area}
"""

# Tests that name a group of tasks run in the candidate's process; these reach one by a text.
_IN_TASKS = """import asyncio
async def look(f, x, wanted):
    assert f(x) == wanted
async def look_at(f, *rows):
    async with getattr(asyncio, "TaskGroup")() as group:
        for row in rows:
            group.create_task(look(f, *row))
    return True
"""

NAMED_SUBJECTS: dict[str, Subject] = {
    "in tasks": _square(
        "asyncio.run(look_at(square, (7, 49), (9, 81)))",
        "asyncio.run(look_at(square, (8, 64)))",
        before=_IN_TASKS,
    ),
    "moved": about(
        "moved",
        "type(x)(x.x * x.x)",
        "x",
        "moved(Row(7)) == Row(49)",
        "moved(Row(9)) == Row(81)",
        before=_ROW,
    ),
    "moved, by a method": about(
        "moved",
        "type(x)(x.x * x.x)",
        "x",
        "moved(Row(7)).has(49)",
        "moved(Row(9)).has(81)",
        before=_ROW,
    ),
    "each, or Failed": about(
        "each",
        "len([x(n, n * n) for n in (7, 9)])",
        "len([x(n, 0) for n in (7, 9)])",
        "each(looks) == 2",
        before=(
            "class Failed(BaseException):\n"
            "    pass\n"
            "def looks(n, value):\n"
            "    if value != {7: 49, 9: 81}[n]:\n"
            "        raise Failed('wrong')\n"
        ),
    ),
    "tabled": _square(
        "square(7) == WANTED[7]", "square(9) == WANTED[9]", before="WANTED = {7: 49, 9: 81}\n"
    ),
    "looped": _square(
        "square(7) == wanted",
        "square(-7) == wanted",
        before="for wanted in (1, 49):\n    pass\n",
    ),
    "referenced": _square(
        "square(7) == reference(7)",
        "square(9) == reference(9)",
        before="def reference(x):\n    return x * x\n",
    ),
    "looked up": _square(
        "square(7) == wanted(7)", "square(9) == wanted(9)", before="wanted = {7: 49, 9: 81}.get\n"
    ),
    "in an object": _square(
        "square(row.x) == row.wanted",
        "square(-row.x) == row.wanted",
        before=(
            "class Row:\n"
            "    def __init__(self, x, wanted):\n"
            "        self.x, self.wanted = x, wanted\n"
            "row = Row(7, 49)\n"
        ),
    ),
    "by a check in a mapping": _held("checks = UserDict({'same': lambda a, b: a == b})\n"),
    "by a check in a dict": _held(
        "table = {'same': lambda a, b: a == b}\n", "table", "table.update"
    ),
    "by a check that is set": _held(
        "class Box(dict):\n"
        "    def __init__(self):\n"
        "        self.check = lambda a, b: a == b\n"
        "    def use(self, check):\n"
        "        self.check = check\n"
        "    def __getitem__(self, name):\n"
        "        return self.check\n"
        "box = Box()\n",
        "box",
        "box.use",
    ),
    "or an error": _square(
        "looks(7, 49)",
        "looks(9, 81)",
        before=(
            "def looks(x, wanted):\n"
            "    try:\n"
            "        assert square(x) == wanted\n"
            "    except getattr(square, 'Wrong', KeyError):\n"
            "        pass\n"
            "    return True\n"
        ),
    ),
    "left by its own exit": _square(
        "looks(7, 49)",
        "looks(9, 81)",
        before=(
            "import contextlib\n"
            "def looks(x, wanted):\n"
            "    with contextlib.ExitStack() as stack:\n"
            "        stack.push(getattr(square, 'leave', lambda *error: None))\n"
            "        assert square(x) == wanted\n"
            "    return True\n"
        ),
    ),
    "derived": Subject(
        names=("Square",),
        right=_SHAPE.format(area="self.x * self.x"),
        wrong=_SHAPE.format(area="0"),
        facts=("Mine(7).area() == Mine(7).wanted()", "Mine(9).is_right()"),
        before=(
            "class Checks:\n"
            "    def is_right(self):\n"
            "        return self.area() == {7: 49, 9: 81}[self.x]\n"
            "class Mine(Checks, Square):\n"
            "    def wanted(self):\n"
            "        return {7: 49, 9: 81}[self.x]\n"
        ),
    ),
    "kept while tests sleep": Subject(
        names=("square", "watch"),
        right="def square(x): return x * x\ndef watch(kept): pass\n",
        wrong="def square(x): return 0\ndef watch(kept): pass\n",
        facts=("is_right(7)", "is_right(9)"),
        before=(
            "import time\n"
            "def is_right(x):\n"
            "    kept = [lambda found: found == {7: 49, 9: 81}[x]]\n"
            "    watch(kept)\n"
            "    time.sleep(0.1)\n"
            "    return kept[0](square(x))\n"
        ),
    ),
    "derived, iterated": Subject(
        names=("Square",),
        right=_SHAPE.format(area="self.x * self.x"),
        wrong=_SHAPE.format(area="0"),
        facts=("all(Mine(7))", "all(Mine(9))"),
        before=(
            "class Mine(Square):\n"
            "    def checks(self):\n"
            "        yield self.area() == {7: 49, 9: 81}[self.x]\n"
            "Mine.__iter__ = Mine.checks\n"
        ),
    ),
}
"""By name."""
