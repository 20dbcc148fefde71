"""Tricks that still pass as isolated: each is a defect of planish, and fails once it is mended."""

__all__ = ["OPEN"]

OPEN = frozenset(
    {
        "difference in two steps",
        "rounded difference",
        "difference in a predicate",
        "difference for assertAlmostEqual",
        "complex number of its own",
        "methods that answer with a number",
        "methods that answer with a text",
        "methods that are partial functions",
        "methods that are objects",
        "methods of a class named function",
        "methods of a class named type",
        "methods of a class in place of the function",
        "context that swallows the failure",
        "caller that swallows the failure",
        "names of Python where all names are wanted",
        "names of Python where no entry point is named",
        "test methods replaced",
        "expected values in a class of the tests",
        "expected values in the defaults of a callback",
        "byte code with the file name of a library",
    }
)
"""Their names."""
