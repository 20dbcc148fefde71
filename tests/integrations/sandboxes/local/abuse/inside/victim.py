"""A process that has done no harm: it holds a secret, and says which signals it got."""

import ctypes
import json
import os
import signal
import sys
import time

_PR_SET_PTRACER = 0x59616D61
_ANY = ctypes.c_ulong(-1)


def _say(**facts: int) -> None:
    os.write(1, json.dumps(facts).encode() + b"\n")


def _heard(number: int, _frame: object) -> None:
    _say(signal=number)


def main() -> None:
    """Until its input is closed, or something kills it."""
    secret = ctypes.create_string_buffer(sys.stdin.readline().strip().encode())
    # Where Yama stands, this is what makes the control succeed.
    ctypes.CDLL(None).prctl(_PR_SET_PTRACER, _ANY, 0, 0, 0)
    for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGURG, signal.SIGTERM):
        signal.signal(number, _heard)
    facts = {"pid": os.getpid(), "address": ctypes.addressof(secret), "size": len(secret)}
    _say(**facts)
    while True:
        time.sleep(60)


main()
