"""Write the documentation page on feedback, with the real request for each kind of failure.

`python -m tests.feedback.page` prints it; `docs/feedback.md` is its output, which a test checks.
What is not measured is in `head.md`.
"""

from pathlib import Path

import anyio
from tests.feedback.gated import GatedModel, loop
from tests.feedback.kinds import KINDS, Kind

__all__ = ["page"]

_HEAD = Path(__file__).with_name("head.md")


async def _evidence(kind: Kind) -> str:
    model = GatedModel(kind)
    report = await loop(model).run(kind.task)
    assert report.passed, kind
    return model.requests[1].messages[-1].content


async def page() -> str:
    """Return the page as Markdown."""
    parts = [_HEAD.read_text(encoding="utf-8")]
    for name, kind in KINDS.items():
        wrong = kind.wrong if kind.prose else f"```python\n{kind.wrong}\n```"
        evidence = await _evidence(kind)
        parts.append(
            f"## {name[0].upper()}{name[1:]}\n\n"
            f"The reply:\n\n````text\n{wrong}\n````\n\n"
            f"The end of the next request:\n\n````text\n{evidence}\n````\n"
        )
    return "\n".join(parts)


if __name__ == "__main__":
    print(anyio.run(page), end="")  # noqa: T201
