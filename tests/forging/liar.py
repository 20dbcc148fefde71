"""How liars are made."""

from tests.forging.snippets import LIAR
from tests.forging.trick import Trick

__all__ = ["ALL", "ANSWER", "EQUAL", "PLAIN", "liar"]

EQUAL = "the candidate's equality is believed"
ANSWER = "the candidate's methods are believed"
PLAIN = "subclasses of plain types are asked"
ALL = ("checks", "cases", "unittest", "script")


def liar(
    subject: str,
    bases: str = "",
    more: str = "pass",
    *,
    make: str = "Liar()",
    kinds: tuple[str, ...] = ("checks", "unittest"),
    defence: str = ANSWER,
) -> Trick:
    name = {"even": "even", "near": "half", "approx": "half", "contained": "odds"}.get(subject)
    name = name or {"methods": "shout", "ordered": "square", "converted": "square"}.get(subject)
    name = name or {"instance": "square", "subset": "unique", "keyed": "shout"}.get(subject)
    name = name or {"summed": "square", "truth": "even", "library": "square"}.get(subject, subject)
    code = LIAR.format(bases=bases, more=more.replace("\n", "\n    "))
    return Trick(
        code=f"{code}\ndef {name}(x): return {make}\n",
        subject=subject,
        kinds=kinds,
        naive="whole",
        defence=defence,
    )
