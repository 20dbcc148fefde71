"""Taking a reasoning model's thoughts off its reply."""

import re

__all__ = ["without_thought"]

_NAMES = "think|thinking|thought|thoughts|reasoning"
_EVENT = re.compile(
    r"^[ \t>]*+(?P<run>`{3,}|~{3,})(?P<info>[^\n]*+)"
    rf"|^[ \t]*+<(?P<open>{_NAMES})>"
    rf"|^[^\n]{{0,2000}}?(?<![`'\"])</(?P<close>{_NAMES})>(?![`'\"])",
    re.MULTILINE,
)
_FENCE = re.compile(r"^[ \t]*+(?:`{3,}|~{3,})", re.MULTILINE)
_TAG = re.compile(rf"^[ \t]*+<(?:{_NAMES})>", re.MULTILINE)


def without_thought(text: str) -> str:
    """`text` without its `<think>` sections; tags inside fenced code are code.

    A closing tag alone ends a thought whose opening was in the prompt: all before it goes.
    One never closed hides the rest, unless a fence follows: then only the tag goes.
    """
    if "think" not in text and "thought" not in text and "reasoning" not in text:
        return text
    kept: list[str] = []
    position = 0
    fence = ""
    start = 0
    while event := _EVENT.search(text, position):
        position = event.end()
        if event["run"]:
            fence = _after_fence(fence, event["run"], event["info"])
        elif fence:
            continue
        elif event["close"]:
            kept, start = [], position
        else:
            kept.append(text[start : event.start()])
            start = position = _thought_end(text, event)
            if start == event.end():  # never closed, so no later one of its name is either
                break
    return "".join(kept) + text[start:]


def _after_fence(fence: str, run: str, info: str) -> str:
    if not fence:
        return "" if run[0] == "`" and "`" in info else run
    closes = run[0] == fence[0] and len(run) >= len(fence) and not info.strip()
    return "" if closes else fence


def _thought_end(text: str, opening: re.Match[str]) -> int:
    closing = f"</{opening['open']}>"
    end = text.find(closing, opening.end())
    if end >= 0:
        return end + len(closing)
    return opening.end() if _FENCE.search(text, opening.end()) else len(text)
