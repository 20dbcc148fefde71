"""What a forgery is: a candidate that is wrong, and tries to pass all the same."""

import re
from dataclasses import dataclass

from tests.forging.subject import Subject
from tests.forging.subjects import SUBJECTS

__all__ = ["Trick"]


@dataclass(frozen=True, kw_only=True)
class Trick:
    """One way to pass without a right value.

    Attributes:
        code: Runs where the candidate runs. Where it does not define the subject's entry point,
            a wrong one is put behind it.
        defence: What stops it: the name of a mutation of planish without which it passes.
        subject: What the tests ask for.
        kinds: The kinds of tests it is aimed at.
        naive: The naive checker that takes it for right.
        whole: Nothing is put behind the code, whatever it defines.
    """

    code: str
    defence: str
    subject: str = "square"
    kinds: tuple[str, ...] = ("checks", "cases")
    naive: str = "status"
    whole: bool = False

    @property
    def about(self) -> Subject:
        """The subject itself."""
        return SUBJECTS[self.subject]

    @property
    def candidate(self) -> str:
        """The whole of the candidate's code."""
        names = self.about.names
        if self.whole or all(
            re.search(rf"^(def|class) {n}\b|^{n} =", self.code, re.MULTILINE) for n in names
        ):
            return self.code
        return f"{self.code}\n{self.about.wrong}"
