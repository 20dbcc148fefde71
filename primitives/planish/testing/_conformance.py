"""What a conformance kit raises."""

__all__ = ["ConformanceError"]


class ConformanceError(AssertionError):
    """An implementation does not keep its contract.

    Attributes:
        failures: What each failed check found, by the check's name.
    """

    def __init__(self, failures: dict[str, str]) -> None:
        lines = "".join(f"\n- {name}: {found}" for name, found in failures.items())
        super().__init__(f"{len(failures)} checks failed:{lines}")
        self.failures = failures
