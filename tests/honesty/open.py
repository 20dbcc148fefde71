"""Right programs that planish does not yet judge as plain Python does."""

__all__ = ["OPEN"]

_NAMES = """
RecursionError tested with unittest, as published
assertRaises, assertRaisesRegex, assertLogs
capsys and capfd
dict views stay live
files written and read
globals of the candidate: read, changed by both sides
ipaddress, uuid, enum values and other library objects
logging with caplog
methods of the candidate's class, patched and undone
monkeypatch: setitem, delattr, chdir, syspath, dict of the candidate
numpy: an array kept by the candidate, changed by the tests
numpy: changed in place
numpy: scalars, dtypes, random, linear algebra
numpy: ufuncs and functions of the candidate over arrays of the tests
os.environ changed by the candidate and by the tests
pandas: dates, categories, missing values, indexes
the standard library patched: time, random
warnings
"""

OPEN: dict[str, str] = dict.fromkeys(_NAMES.strip().splitlines(), "judged wrong so far")
"""By name, why. A program that is judged right has to leave the list."""
