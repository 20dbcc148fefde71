"""What a program shows, apart from what it prints."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from planish.data._frozen import freeze
from planish.data._record import Record

__all__ = ["BYTES_AS_BASE64", "Display"]

BYTES_AS_BASE64 = {"ser_json_bytes": "base64", "val_json_bytes": "base64"}
"""How pydantic is to write bytes: they need not be UTF-8."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Display(Record):
    """One thing a program shows: an image, a table, a value.

    Attributes:
        forms: The same thing by media type, as notebooks have it: "image/png" to the bytes of
            a picture, "text/html" and "text/plain" to text in UTF-8.
        main: It is the value of the last expression, not something shown on the way.
    """

    __pydantic_config__: ClassVar[dict[str, str]] = BYTES_AS_BASE64

    forms: Mapping[str, bytes]
    main: bool = False

    def __post_init__(self) -> None:
        freeze(self, "forms")

    @property
    def text(self) -> str:
        """Its "text/plain" form; empty where there is none."""
        return self.forms.get("text/plain", b"").decode("utf-8", "replace")
