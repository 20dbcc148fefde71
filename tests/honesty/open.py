"""Right programs that planish does not yet judge as plain Python does."""

__all__ = ["OPEN"]

_NAMES = """
dict views stay live
RecursionError tested with unittest, as published
warnings
logging with caplog
files written and read
globals of the candidate: read, changed by both sides
os.environ changed by the candidate and by the tests
methods of the candidate's class, patched and undone
the standard library patched: time, random
capsys and capfd
monkeypatch: setitem, delattr, chdir, syspath, dict of the candidate
one test skipped by its author
an expected failure of the tests' author
assertRaises, assertRaisesRegex, assertLogs
one unittest skipped by its author
ipaddress, uuid, enum values and other library objects
numpy: changed in place
numpy: scalars, dtypes, random, linear algebra
numpy: an array kept by the candidate, changed by the tests
numpy: strings, dates, structured and object arrays
numpy: ufuncs and functions of the candidate over arrays of the tests
pandas: dates, categories, missing values, indexes
pandas: read and written as text
"""

OPEN: dict[str, str] = dict.fromkeys(_NAMES.strip().splitlines(), "judged wrong so far")
"""By name, why. A program that is judged right has to leave the list."""
