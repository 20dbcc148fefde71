"""Write the documentation pages on feedback, with the real request for each kind of failure.

`python -m tests.feedback.page feedback` prints docs/feedback.md, and `... page before-and-after`
docs/before-and-after.md; a test compares both. What is not made here is in `head.md`,
`comparisons_head.md` and `before.json`.
"""

import json
import sys
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

import anyio
from tests.feedback.comparisons import COMPARISONS, Comparison
from tests.feedback.gated import GatedModel, loop
from tests.feedback.kinds import KINDS, Kind

from planish import Accept, CodeExecution, CodeGenerator, Retry, Task, Validator
from planish.data import ResourceLimits
from planish.feedback import hidden_tests
from planish.prompts import default_prompt, prompt_without_tests
from planish.testing import ScriptedModel
from planish_integrations.local import LocalSandbox

__all__ = ["BEFORE", "PAGES", "comparison_request"]

_HERE = Path(__file__).parent
_SHOWN = 14  # lines of a request that was too long

BEFORE: Mapping[str, str] = json.loads((_HERE / "before.json").read_text(encoding="utf-8"))
"""The end of each request as it was, by the title of its comparison."""


async def _evidence(kind: Kind) -> str:
    model = GatedModel(kind)
    report = await loop(model).run(kind.task)
    assert report.passed, kind
    return model.requests[1].messages[-1].content


async def _feedback_page() -> str:
    """Return the page on feedback as Markdown."""
    parts = [(_HERE / "head.md").read_text(encoding="utf-8")]
    for name, kind in KINDS.items():
        if kind.varies:
            continue
        evidence = await _evidence(kind)
        parts.append(
            f"## {name[0].upper()}{name[1:]}\n\n"
            f"The reply:\n\n````text\n{kind.reply}\n````\n\n"
            f"The end of the next request:\n\n````text\n{evidence}\n````\n"
        )
    return "\n".join(parts)


async def comparison_request(one: Comparison) -> str:
    """Return the end of a request as it is now."""
    model = ScriptedModel([f"```python\n{code}\n```" for code in (*one.replies, "f = len")])
    check = CodeExecution(LocalSandbox(), limits=ResourceLimits(seconds=1)) >> Validator()
    prompt = prompt_without_tests if one.hidden else default_prompt
    attempts = Retry(
        CodeGenerator(model, prompt=prompt) >> check,
        attempts=len(one.replies) + 1,
        feedback=hidden_tests() if one.hidden else None,
    )
    task = Task(one.requirement, tests=one.tests, accept=one.accept or None)
    await (Accept(attempts, check) if one.accept else attempts).run(task)
    return model.requests[len(one.replies)].messages[-1].content


async def _comparisons_page() -> str:
    """Return the page that compares requests as they were and as they are."""
    parts = [(_HERE / "comparisons_head.md").read_text(encoding="utf-8")]
    for one in COMPARISONS:
        code = one.replies[-1]
        parts.append(
            f"## {one.title}\n\n{one.change}\n\n````text\n```python\n{code}\n```\n````\n\n"
            f"Before:\n\n````text\n{_shortened(BEFORE[one.title])}\n````\n\n"
            f"After:\n\n````text\n{await comparison_request(one)}\n````\n"
        )
    return "\n".join(parts)


def _shortened(text: str) -> str:
    lines = text.split("\n")
    if len(lines) <= 4 * _SHOWN:
        return text
    note = f"(... {len(lines) - 2 * _SHOWN} more lines ...)"
    return "\n".join((*lines[:_SHOWN], note, *lines[-_SHOWN:]))


PAGES: Mapping[str, Callable[[], Awaitable[str]]] = {
    "feedback": _feedback_page,
    "before-and-after": _comparisons_page,
}
"""What makes each page, by the name of its file in docs/."""


if __name__ == "__main__":
    print(anyio.run(PAGES[sys.argv[1]]), end="")  # noqa: T201
