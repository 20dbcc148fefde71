"""Classic BPF run in Python: what a filter says of a call, on any architecture."""

import struct

__all__ = ["ARCH", "verdict"]

ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}  # linux/audit.h


def verdict(program: bytes, arch: int, number: int, *args: int) -> int:
    """What the filter returns for a call, for arguments of 64 bits."""
    padded = [arg & (1 << 64) - 1 for arg in (*args, 0, 0, 0, 0, 0, 0)[:6]]
    data = struct.pack("<IIQ6Q", number & 0xFFFFFFFF, arch, 0, *padded)
    code = list(struct.iter_unpack("<HBBI", program))
    at, held = 0, 0
    while True:
        operation, if_true, if_false, k = code[at]
        at += 1
        if operation == 0x20:
            (held,) = struct.unpack_from("<I", data, k)
        elif operation == 0x54:
            held &= k
        elif operation == 0x05:
            at += k
        elif operation == 0x15:
            at += if_true if held == k else if_false
        elif operation == 0x35:
            at += if_true if held >= k else if_false
        else:
            assert operation == 0x06
            return int(k)
