"""Check relative paths of files that are laid out in a working directory."""

import os
import posixpath

__all__ = ["PATH_EXAMPLE", "path_fault", "text_fault"]

PATH_EXAMPLE = "use a path like 'pkg/data.json', relative to the working directory"

_NAME_MAX = 255  # bytes of one part of a path, on every common file system
_PATH_MAX = 1000  # bytes of a path: macOS takes 1,024 with the zero byte, Linux 4,096


def path_fault(path: str) -> str | None:
    """Return why a text cannot be the path of a file in the working directory, else None."""
    fault = text_fault(path)
    if fault is not None:
        return fault
    if path.startswith("/"):
        return "is absolute"
    if ".." in path.split("/"):
        return "leads out of the working directory"
    if path in ("", ".") or posixpath.normpath(path) != path:
        return "is not a plain path to a file"
    if max(len(os.fsencode(part)) for part in path.split("/")) > _NAME_MAX:
        return f"has a part of more than {_NAME_MAX} bytes"
    if len(os.fsencode(path)) > _PATH_MAX:
        return f"is longer than {_PATH_MAX} bytes"
    return None


def text_fault(text: str) -> str | None:
    """Return why the system cannot take a text as a name or an argument, else None."""
    try:
        usable = b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        usable = False
    return None if usable else "has a NUL or lone surrogate, which the system cannot take"
