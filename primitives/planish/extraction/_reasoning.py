"""Remove the reasoning sections of a reply, by the marks that models put around them."""

import re
from dataclasses import dataclass

__all__ = ["MARKS", "Mark", "remove_reasoning"]


@dataclass(frozen=True, slots=True)
class Mark:
    """How one family of models marks its reasoning.

    Attributes:
        opening: Pattern of the text before the reasoning, which begins a line.
        closing: Pattern of the text after it; "{0}" is replaced by the opening's first group.
        since: Year and month in which models with it appeared.
        source: Where the mark is documented.
        headless: Whether a closing mark alone ends a reasoning section. Some chat templates put
            the opening mark into the prompt.
        recovers: Whether code after an opening mark that is never closed may be the answer. It
            is False for tokens that the model cannot have forgotten.
    """

    opening: str
    closing: str
    since: str
    source: str
    headless: bool = True
    recovers: bool = False


_TAGS = "think|thinking|thought|thoughts|reasoning|reflection|scratchpad|longcat_think|seed:think"

MARKS = (
    Mark(
        rf"<({_TAGS})>",
        r"</{0}>",
        "2024-09",
        "chat templates of DeepSeek-R1, Qwen3, GLM-4.5, Seed-OSS and LongCat",
        recovers=True,
    ),
    Mark(r"\[(THINK|REASONING)\]", r"\[/{0}\]", "2025-06", "mistral-common, Magistral"),
    Mark("◁think▷", "◁/think▷", "2025-04", "chat template of Kimi-VL-Thinking and Kimi-Dev"),
    Mark(
        r"<\|begin_of_thought\|>",
        r"<\|end_of_thought\|>",
        "2025-01",
        "system prompts of Sky-T1 and OpenThoughts",
    ),
    Mark(
        r"<\|START_THINKING\|>",
        r"<\|END_THINKING\|>",
        "2024-12",
        "chat template of Cohere Command R7B and Command A Reasoning",
    ),
    Mark(
        r"(?:<\|start\|>assistant)?<\|channel\|>(?:analysis|commentary)\b",
        r"(?:<\|start\|>assistant)?<\|channel\|>final[^\n]{0,80}?<\|message\|>",
        "2025-08",
        "OpenAI's harmony format, gpt-oss",
    ),
    # The same after a server has removed the special tokens.
    Mark(
        r"\Aanalysis(?=(?-i:[A-Z]))",
        r"assistantfinal",
        "2025-08",
        "OpenAI's harmony format, gpt-oss",
        headless=False,
    ),
    Mark(r"<\|channel>thought\b", r"<channel\|>", "2026-03", "chat template of Gemma 4"),
    Mark("<unused94>thought", "<unused95>", "2025-07", "model card of MedGemma 27B"),
    Mark(r"\[unused16\]", r"\[unused17\]", "2025-06", "chat template of openPangu"),
    Mark(r"<\|inner_prefix\|>", r"<\|inner_suffix\|>", "2025-09", "chat template of Apertus"),
    Mark(
        "Here is my thought process:",
        "Here is my response:",
        "2025-02",
        "system prompt of Granite 3.2",
        headless=False,
    ),
)
"""The marks of reasoning, as of November 2025 and later where a row says so."""

# What models put around the answer, or at the end of a turn.
_ANSWER_MARKS = re.compile(
    r"<\|(?:begin|end)_of_solution\|>|<\|(?:START|END)_(?:RESPONSE|TEXT)\|>"
    r"|<\|(?:return|end|end_of_text|im_end|eot_id)\|>(?=\s*\Z)"
    r"|\A(?:<\|start\|>assistant)?<\|channel\|>final[^\n]{0,80}?<\|message\|>"
)
_FENCE = r"^[ \t>]*+(?P<run>`{3,}|~{3,})(?P<info>[^\n]*+)"
_FENCE_START = re.compile(r"^[ \t]*+(?:`{3,}|~{3,})", re.MULTILINE)


def _closing(mark: Mark) -> str:
    """Return the pattern of any closing of a mark."""
    names = re.search(r"\(([\w:|]+)\)", mark.opening)
    return mark.closing.replace("{0}", f"(?:{names[1]})" if names else "")


# Groups o0, o1, ... are opening marks; c0, c1, ... closing marks with all that is before them in
# their line. A closing mark in quotes is not one.
_EVENT = re.compile(
    _FENCE
    + "".join(rf"|^[ \t]*+(?P<o{number}>{mark.opening})" for number, mark in enumerate(MARKS))
    + r"|^[^\n]{0,2000}?(?<![`'\"])(?:"
    + "|".join(
        rf"(?P<c{number}>{_closing(mark)})" for number, mark in enumerate(MARKS) if mark.headless
    )
    + r")(?![`'\"])",
    re.MULTILINE | re.IGNORECASE,
)


def remove_reasoning(text: str) -> str:
    """Remove the reasoning sections of a reply; marks inside fenced code stay.

    A closing mark without an opening one removes everything before it. An opening mark that is
    never closed removes the rest of the text; if it may have been forgotten and a fence follows,
    only the mark.
    """
    parts: list[str] = []
    position = start = 0
    fence = ""
    while event := _EVENT.search(text, position):
        position = event.end()
        kind = event.lastgroup or ""
        if event["run"]:
            fence = _open_fence(fence, event["run"], event["info"])
        elif fence:
            continue
        elif kind.startswith("c"):
            parts, start = [], position
        else:
            parts.append(text[start : event.start()])
            start = position = _reasoning_end(text, event, MARKS[int(kind[1:])])
            if start == event.end():  # never closed: neither is a later mark of the same kind
                break
    return _ANSWER_MARKS.sub("", "".join(parts) + text[start:])


def _open_fence(fence: str, run: str, info: str) -> str:
    """Return the fence that is open after a line with a fence, "" if none is.

    Args:
        fence: The fence open before the line, "" for none.
        run: The backticks or tildes of the line.
        info: The rest of the line.
    """
    if not fence:
        return "" if run[0] == "`" and "`" in info else run
    return "" if run.startswith(fence) and not info.strip() else fence


def _reasoning_end(text: str, opening: re.Match[str], mark: Mark) -> int:
    """Return the offset at which the text continues after a reasoning section."""
    name = re.fullmatch(mark.opening, opening[opening.lastgroup or 0], re.IGNORECASE)
    group = name[1] if name and name.re.groups else ""
    closing = re.compile(mark.closing.replace("{0}", re.escape(group)), re.IGNORECASE)
    found = closing.search(text, opening.end())
    if found:
        return found.end()
    if mark.recovers and _FENCE_START.search(text, opening.end()):
        return opening.end()
    return len(text)
