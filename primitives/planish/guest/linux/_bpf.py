"""Compile a list of system calls to classic BPF (`linux/filter.h`)."""

import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Instruction = tuple[int, int, int, int]
    Condition = tuple[int, int, "Sequence[int]", bool]
    """Argument, mask, values, and whether the masked argument is one of them or none of them."""

__all__ = ["ALLOW", "KILL", "assemble", "check", "failing", "filter_of", "ignored"]

ALLOW = 0x7FFF0000
KILL = 0x80000000
_ERRNO = 0x00050000

_LOAD, _AND, _JUMP, _RETURN = 0x20, 0x54, 0x05, 0x06
_IF_EQUAL, _IF_AT_LEAST = 0x15, 0x35
_NUMBER, _ARCH, _ARGUMENTS = 0, 4, 16  # where they stand in struct seccomp_data
_WORD = 0xFFFFFFFF
_X32 = 0x40000000  # asm/unistd.h: marks a call with 32-bit pointers under the same architecture
_X86_64 = 0xC000003E


def failing(errno: int) -> int:
    """Return the filter result that makes a call fail with an errno."""
    return _ERRNO | errno


def check(alternatives: "Sequence[Sequence[Condition]]", refusal: int) -> "list[Instruction]":
    """Return instructions that allow a call if all conditions of one alternative hold.

    Arguments are compared by their lower 32 bits: to be used where the kernel itself takes no
    more of them.

    Args:
        alternatives: Each: conditions.
        refusal: What is returned otherwise.
    """
    code: list[Instruction] = []
    for conditions in alternatives:
        code += _all_of(conditions)
    return [*code, (_RETURN, 0, 0, refusal)]


def ignored(conditions: "Sequence[Condition]") -> "list[Instruction]":
    """Return instructions that let a call seem to succeed, and do nothing, if all conditions hold.

    What follows them decides otherwise.
    """
    return [*_all_of(conditions)[:-1], (_RETURN, 0, 0, failing(0))]


def _all_of(conditions: "Sequence[Condition]") -> "list[Instruction]":
    rest: list[Instruction] = [(_RETURN, 0, 0, ALLOW)]
    for argument, mask, values, among in reversed(conditions):
        test: list[Instruction] = [(_LOAD, 0, 0, _ARGUMENTS + 8 * argument)]
        if mask != _WORD:
            test.append((_AND, 0, 0, mask))
        for left, value in zip(range(len(values), 0, -1), values):  # noqa: B905  # also Python 3.9
            test.append((_IF_EQUAL, left, 0, value & _WORD))
        # An equal value jumps over the instruction behind the comparisons.
        if not among:
            test.append((_JUMP, 0, 0, 1))
        test.append((_JUMP, 0, 0, len(rest)))
        rest = test + rest
    return rest


def filter_of(
    arch: int,
    calls: "Mapping[int, list[Instruction]]",
    known: "Sequence[int]",
    *,
    nosys: int,
    no: int,
) -> "list[Instruction]":
    """Return a whole filter.

    Args:
        arch: The AUDIT_ARCH; a call of any other ends the process.
        calls: What happens at each listed number.
        known: Numbers that there are; those not listed get `no`, all others `nosys`.
        nosys: What is returned for numbers that there are not.
        no: What is returned for numbers that there are, but are not listed.
    """
    head: list[Instruction] = [
        (_LOAD, 0, 0, _ARCH),
        (_IF_EQUAL, 1, 0, arch),
        (_RETURN, 0, 0, KILL),
        (_LOAD, 0, 0, _NUMBER),
    ]
    if arch == _X86_64:
        head += [(_IF_AT_LEAST, 0, 1, _X32), (_RETURN, 0, 0, KILL)]
    segments: list[tuple[int, list[Instruction]]] = []
    there = frozenset(known)
    for number in range(max(there) + 2):
        code = calls.get(number) or [(_RETURN, 0, 0, no if number in there else nosys)]
        if not segments or segments[-1][1] != code:
            segments.append((number, code))
    return head + _tree(segments)


def _tree(segments: "list[tuple[int, list[Instruction]]]") -> "list[Instruction]":
    """Return a binary search: a call passes about ten instructions instead of hundreds."""
    if len(segments) == 1:
        return segments[0][1]
    middle = len(segments) // 2
    below, above = _tree(segments[:middle]), _tree(segments[middle:])
    # The far jump is one of its own, because a conditional one reaches 255 instructions.
    return [(_IF_AT_LEAST, 0, 1, segments[middle][0]), (_JUMP, 0, 0, len(below)), *below, *above]


def assemble(code: "Sequence[Instruction]") -> bytes:
    """Return instructions as the kernel takes them: an array of `struct sock_filter`."""
    return b"".join([struct.pack("<HBBI", *instruction) for instruction in code])
