"""Right programs that planish does not yet judge as plain Python does."""

__all__ = ["OPEN"]

_NAMES = """
assertRaises, assertRaisesRegex, assertLogs
capsys and capfd
dict views stay live
globals of the candidate: read, changed by both sides
ipaddress, uuid, enum values and other library objects
logging with caplog
methods of the candidate's class, patched and undone
warnings
"""

OPEN: dict[str, str] = dict.fromkeys(_NAMES.strip().splitlines(), "judged wrong so far")
"""By name, why. A program that is judged right has to leave the list."""
