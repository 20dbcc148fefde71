"""What the supervisor of one program prints: signs of life, and at the end its result.

It is read as it comes, in the thread of the SDK; the caller reads it in its own.
"""

import time
from uuid import uuid4

__all__ = ["Answer"]

_RUNNING = "running"


class Answer:
    """The lines that begin with a secret word, of a stream that arrives in pieces.

    Attributes:
        word: What the lines begin with.
        began: When this was made, by `time.monotonic`.
        started: The program was about to start, or had.
        heard: When the last sign of life arrived, by `time.monotonic`; at first, when this was
            made.
        result: The last line, without its word; None until it is whole.
        exit_code: How the supervisor's process ended; None where the stream did not say.
    """

    def __init__(self) -> None:
        self.word = uuid4().hex
        self.began = time.monotonic()
        self._rest = ""
        self.started = False
        self.heard: float = self.began
        self.result: str | None = None
        self.exit_code: int | None = None

    def take(self, piece: str) -> None:
        """Read on."""
        *lines, self._rest = (self._rest + piece).split("\n")
        for line in lines:
            # From the right: where a program can write there, it does not know the word.
            _, found, message = line.rpartition(f"{self.word} ")
            if found:
                self.heard = time.monotonic()
                self.started = self.started or message == _RUNNING
                self.result = None if message == _RUNNING else message
