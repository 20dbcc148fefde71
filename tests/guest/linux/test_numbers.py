"""The tables say what the machine's headers say."""

import errno
import os
import re
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from planish.guest.linux._numbers import numbers

# What arch/arm64/include/uapi/asm/unistd.h asks of the generic list.
_ARM64 = """
#define __BITS_PER_LONG 64
#define __ARCH_WANT_RENAMEAT
#define __ARCH_WANT_NEW_STAT
#define __ARCH_WANT_SET_GET_RLIMIT
#define __ARCH_WANT_TIME32_SYSCALLS
#define __ARCH_WANT_SYS_CLONE3
#define __ARCH_WANT_MEMFD_SECRET
"""


def test_x86_64_as_the_headers_have_it() -> None:
    found = sorted(Path("/usr/include").glob("**/asm/unistd_64.h"))
    if not found:
        pytest.skip("no kernel headers for x86-64")
    header = dict(re.findall(r"#define __NR_(\w+) (\d+)", found[0].read_text()))
    _same(numbers("x86_64"), {name: int(number) for name, number in header.items()})


def test_aarch64_as_the_generic_headers_have_it() -> None:
    generic = Path("/usr/include/asm-generic/unistd.h")
    if not generic.exists() or not shutil.which("gcc"):
        pytest.skip("no generic kernel headers, or no gcc to read them with")
    text = _ARM64 + generic.read_text().replace("#include <asm/bitsperlong.h>", "")
    command = ["gcc", "-E", "-dM", "-"]  # the macros, after all conditions
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    defined = dict(re.findall(r"#define (__NR\w+) (\w+)", done.stdout))
    header: dict[str, int] = {}
    for name, value in defined.items():
        resolved = defined.get(value, value)
        if name.startswith("__NR_") and name not in ("__NR_syscalls", "__NR_arch_specific_syscall"):
            header[name.removeprefix("__NR_")] = int(str(resolved))
    _same(numbers("aarch64"), header)


def test_another_architecture_is_refused() -> None:
    with pytest.raises(OSError, match="riscv64") as refused:
        numbers("riscv64")
    assert refused.value.errno == errno.ENOSYS


def test_another_system_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    other = SimpleNamespace(sysname="Darwin", machine="x86_64")
    monkeypatch.setattr(os, "uname", lambda: other)
    with pytest.raises(OSError, match="Darwin is not Linux") as refused:
        numbers()
    assert refused.value.errno == errno.ENOSYS


def _same(ours: dict[str, int], header: dict[str, int]) -> None:
    assert len(header) > 250
    assert len(set(ours.values())) == len(ours)
    assert {name: ours.get(name) for name in header} == {
        name: number
        for name, number in header.items()
        if name in ours or number <= max(ours.values())
    }
    newest = max(header.values())
    assert {name for name, number in ours.items() if number <= newest} <= set(header)
