"""Start the verifier: the beginning of the file that a sandbox runs.

The host adds a line that calls `start` with the kind of tests. A sandbox that has loaded the
verifier's modules before it knew the program leaves them as `__bundle__` among the names of this
file. Otherwise they are in `_planish.bin`. This file is separate from `main.py` and short because
it is compiled for each verdict.
"""


def start(mode: str) -> None:
    """Verify as the plan says, with the modules of one kind of tests, and end the process."""
    bundle = globals().pop("__bundle__", None)
    if bundle is None:
        import marshal  # noqa: PLC0415  # few sandboxes need these
        import sys  # noqa: PLC0415

        with open("_planish.bin", "rb") as file:  # noqa: PTH123  # pathlib costs 10 ms
            packed = file.read()
        version, compiled, source, *_ = marshal.loads(packed)  # noqa: S302  # the host wrote it
        code = (
            marshal.loads(compiled)  # noqa: S302
            if version == sys.version
            else compile(source, "<planish>/main.py", "exec", dont_inherit=True)
        )
        names = {"__name__": "main"}
        exec(code, names)  # noqa: S102  # this is the import
        bundle = names["Bundle"](packed)
    bundle.run(mode)
