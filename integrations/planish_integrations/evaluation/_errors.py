"""What is wrong with the files of an evaluation."""

from planish.errors import MisuseError

__all__ = ["DatasetError", "RowError"]


class DatasetError(MisuseError, ValueError):
    """A file of tasks or recordings cannot be read, or does not hold what was asked for."""


class RowError(ValueError):
    """A row of a known format cannot be judged as it was published; the message says why."""
