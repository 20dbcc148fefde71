"""What runs in interpreters of its own; the folder itself is put on their path."""

__all__: list[str] = []
