"""What the tests of containers share."""

from planish.data.program import Program

__all__ = ["python"]


def python(source: str, **fields: object) -> Program:
    """A Python program of one file."""
    files = {"main.py": source.encode()}
    return Program(main="main.py", **{"files": files, **fields})  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
