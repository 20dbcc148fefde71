"""Tiny distributions, made here: real files for the real pip."""

import io
import tarfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

__all__ = ["sdist", "wheel", "wheelhouse"]

_BACKEND = """
import zipfile
VERSION = "Version: 1.0\\n"
def build_wheel(folder, settings=None, metadata=None):
    name = "homemade-1.0-py3-none-any.whl"
    with zipfile.ZipFile(f"{folder}/{name}", "w") as archive:
        info = "homemade-1.0.dist-info"
        archive.writestr("homemade.py", "")
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\\nName: homemade\\n" + VERSION)
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\\nTag: py3-none-any\\n")
        archive.writestr(f"{info}/RECORD", "")
    return name
"""
_PROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
[project]
name = "homemade"
version = "1.0"
"""


def wheel(
    folder: Path, name: str, version: str = "1.0", *, needs: Sequence[str] = (), code: str = ""
) -> Path:
    """A wheel with one module of the distribution's name, which has its version."""
    info = f"{name}-{version}.dist-info"
    needed = "".join(f"Requires-Dist: {one}\n" for one in needs)
    files = {
        f"{name.lower()}.py": f"version = {version!r}\n{code}",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needed}",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{path},,\n" for path in (*files, f"{info}/RECORD"))
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for inner, text in {**files, f"{info}/RECORD": record}.items():
            archive.writestr(inner, text)
    return path


def sdist(folder: Path) -> None:
    """A source distribution; its build backend is its own, so that it needs no other."""
    with tarfile.open(folder / "homemade-1.0.tar.gz", "w:gz") as archive:
        for path, text in {"backend.py": _BACKEND, "pyproject.toml": _PROJECT}.items():
            member = tarfile.TarInfo(f"homemade-1.0/{path}")
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))


def wheelhouse(folder: Path) -> Path:
    """A folder with all there is in these tests."""
    wheel(folder, "plain")
    wheel(folder, "plain", "2.0")
    wheel(folder, "PyYAML", "6.0")
    wheel(folder, "old", needs=["plain<2"])
    wheel(folder, "new", needs=["plain>=2"])
    wheel(folder, "middle", needs=["lost>=3"])
    wheel(folder, "deep", needs=["middle"])
    (folder / "broken-1.0-py3-none-any.whl").write_bytes(b"this is no archive")
    sdist(folder)
    return folder
