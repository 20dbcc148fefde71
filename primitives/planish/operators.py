"""What `>>`, `&` and `|` make, and plain functions become: imported here, they register."""

from planish.combinators import parallel, race, sequential
from planish.steps import function

__all__ = ["function", "parallel", "race", "sequential"]
