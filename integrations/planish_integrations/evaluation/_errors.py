"""What is wrong with the files of an evaluation."""

from planish.errors import MisuseError

__all__ = ["DatasetError"]


class DatasetError(MisuseError, ValueError):
    """A file of tasks or recordings cannot be read, or does not hold what was asked for."""
