"""Start the verifier: the beginning of the file that a sandbox runs.

The host adds a line that names the kind of tests. A sandbox that has loaded the verifier's modules
before it knew the program leaves them as `__bundle__` among the names of this file. Otherwise they
are in `_planish.bin`. This file is short because it is compiled for each verdict.
"""

if "__bundle__" not in globals():
    import marshal

    with open("_planish.bin", "rb") as _file:  # noqa: PTH123  # pathlib costs 10 ms
        _packed = _file.read()
    exec(marshal.loads(_packed)[0], globals())  # noqa: S102, S302  # the host wrote it
    globals()["__bundle__"] = globals()["Bundle"](_packed)
