"""Fences: the lines that open and close blocks, and the text between them."""

import re

from planish.extraction._languages import is_tag

__all__ = ["code_beside", "content", "find", "may_close", "may_open"]

# A fence with what stands before it (indent, quote and list marks), or an opening one at the
# end of a line of prose.
_FENCE = re.compile(
    r"^(?P<lead>[ \t]*+(?:(?:>|[-*+](?=[ \t])|\d{1,3}[.)](?=[ \t]))[ \t]*+)*+)"
    r"(?P<run>`{3,}+|~{3,}+)(?P<info>[^\n]*+)$"
    r"|^[^\n`]{1,500}+(?P<late>`{3,}+)(?P<tag>[A-Za-z][\w+#.-]*+)[ \t]*+$",
    re.MULTILINE,
)
_CODE = re.compile(
    r"(?P<tag>[\w+.-]*[ \t]+)??"
    r"(?P<code>(?:(?:async[ \t]+)?(?:def|class)[ \t]+\w+[ \t]*[(:]|import[ \t]+\w|from[ \t]+\w).*)"
)
_MARKS = re.compile(r"[^\s>]")
_INDENT = re.compile(r"^([ \t]*)\S", re.MULTILINE)
_SLACK = 3  # CommonMark: a closing fence may be indented by up to three spaces more

find = _FENCE.finditer
"""The fences of a text from a position on."""


def may_open(fence: re.Match[str], *, within: re.Match[str] | None = None) -> bool:
    """Whether it can open a block; inside an open one only a tag tells it from a closing one."""
    if fence["late"]:
        return within is None and is_tag(fence["tag"])
    run, info = fence["run"], fence["info"].strip()
    if run[0] == "`" and "`" in info:
        return False
    if within is None:
        return True
    outer = _run(within)
    return run[0] == outer[0] and len(run) >= len(outer) and is_tag(info)


def may_close(fence: re.Match[str], opening: re.Match[str], *, any_indent: bool) -> bool:
    """Whether it can close the block that `opening` opened."""
    if fence["late"] or fence["info"].strip() or _MARKS.search(fence["lead"]):
        return False
    lead, outer, outer_lead = fence["lead"], _run(opening), opening["lead"] or ""
    if lead.count(">") > outer_lead.count(">"):
        return False
    if not any_indent and len(lead) > len(outer_lead) + _SLACK:
        return False
    return fence["run"][0] == outer[0] and len(fence["run"]) >= len(outer)


def code_beside(opening: re.Match[str]) -> tuple[str, str] | None:
    """The tag and the code of an info string that has code in it, as in "```python def f():"."""
    found = _CODE.fullmatch((opening["info"] or "").strip())
    return ((found["tag"] or "").strip(), found["code"]) if found else None


def content(text: str, opening: re.Match[str]) -> str:
    """`text` without what the place of `opening` put before its lines.

    That is the quote marks, and as much indent as the fence and the first line both have.
    """
    lead = opening["lead"] or ""
    quotes = lead.count(">")
    if quotes:
        text = re.sub(rf"^[ \t]*+(?:> ?){{1,{quotes}}}", "", text, flags=re.MULTILINE)
        lead = lead[lead.rindex(">") + 1 :].removeprefix(" ")
    first = _INDENT.search(text)
    width = min(len(lead), len(first[1]) if first else 0)
    return re.sub(rf"^[ \t]{{1,{width}}}", "", text, flags=re.MULTILINE) if width else text


def _run(opening: re.Match[str]) -> str:
    run: str = opening["run"] or opening["late"]
    return run
