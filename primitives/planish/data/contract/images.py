"""`ImageFile`: check that bytes are a whole image, without decoding its pixels."""

from dataclasses import dataclass, field
from typing import Literal

from planish.arguments import require_texts
from planish.data.record import Record
from planish.errors import TaskError

__all__ = ["ImageFile"]

_ImageKind = Literal["png", "jpeg", "gif", "webp"]

_IMAGES: tuple[_ImageKind, ...] = ("png", "jpeg", "gif", "webp")

_PNG = b"\x89PNG\r\n\x1a\n"
_HEADER = 33  # bytes of the signature and the first chunk of a PNG


def _kind_of(content: bytes) -> _ImageKind | None:
    """Return the format of an image by its first bytes; None if it is none of the known ones."""
    if content.startswith(_PNG):
        return "png"
    if content.startswith(b"\xff\xd8\xff"):
        return "jpeg"
    if content.startswith((b"GIF87a", b"GIF89a")):
        return "gif"
    return "webp" if content[:4] == b"RIFF" and content[8:12] == b"WEBP" else None


def _image_fault(kind: _ImageKind, content: bytes) -> str | None:
    """Return why the bytes are no whole image of a format; None if they are one."""
    match kind:
        case "png":
            return _png_fault(content)
        case "jpeg":
            whole = content.rstrip(b"\0").endswith(b"\xff\xd9")
        case "gif":
            whole = content.rstrip(b"\0").endswith(b";")
        case "webp":
            whole = len(content) >= int.from_bytes(content[4:8], "little") + 8
    return None if whole else f"is a {kind} image that is cut off"


def _png_fault(content: bytes) -> str | None:
    """Check the chunks of a PNG: their lengths and checksums, its size, and its end."""
    import zlib  # noqa: PLC0415 - most tasks have no images

    if content[12:16] != b"IHDR" or len(content) < _HEADER:
        return "is a png image without a header"
    if not int.from_bytes(content[16:20]) or not int.from_bytes(content[20:24]):
        return "is a png image without pixels"
    position, has_pixels = len(_PNG), False
    while position + 12 <= len(content):
        length = int.from_bytes(content[position : position + 4])
        chunk = memoryview(content)[position + 4 : position + 8 + length]
        checksum = content[position + 8 + length : position + 12 + length]
        if len(checksum) < len(b"CRC?") or zlib.crc32(chunk) != int.from_bytes(checksum):
            return f"is a png image that is damaged at byte {position}"
        kind = bytes(chunk[:4])
        has_pixels = has_pixels or kind == b"IDAT"
        if kind == b"IEND":
            return None if has_pixels else "is a png image without pixels"
        position += 12 + length
    return "is a png image that is cut off"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageFile(Record):
    """A whole image. Checksums and ends are checked; pixels are not decoded.

    Attributes:
        formats: The formats that it may have: "png", "jpeg", "gif", "webp"; by default all.
        optional: Whether the file may be missing; False by default.

    Raises:
        TaskError: there is no such format, or there is none.
    """

    format: Literal["image"] = field(default="image", repr=False)
    formats: tuple[_ImageKind, ...] = _IMAGES
    optional: bool = False

    def __post_init__(self) -> None:
        require_texts("ImageFile", "formats", self.formats, error=TaskError)
        for one in self.formats:
            if one not in _IMAGES:
                raise TaskError(f"ImageFile(formats=...): {one!r} is none of {', '.join(_IMAGES)}")
        if not self.formats:
            raise TaskError("ImageFile(formats=()): give at least one format")

    def describe(self) -> str:
        """Return what the content must be, in words."""
        return f"an image ({' or '.join(self.formats)})"

    def fault(self, content: bytes) -> str | None:
        """Return what is wrong with the content, as the end of a sentence; None if nothing is."""
        kind = _kind_of(content)
        if kind is None:
            return "is not an image" if content else "is empty"
        if kind not in self.formats:
            return f"is a {kind} image, not {' or '.join(self.formats)}"
        return _image_fault(kind, content)
