"""What `>>`, `&` and `|` make, and plain functions become: imported here, they register."""

from planish.primitives import parallel, race, sequential, step

__all__ = ["parallel", "race", "sequential", "step"]
