"""Replace secrets in texts, and in the log records of the HTTP libraries."""

import base64
import html
import json
import logging
import re
from binascii import Error as Base64Error
from collections.abc import Iterable
from threading import Lock
from weakref import WeakSet

__all__ = ["MIN_LENGTH", "Redactor"]

MIN_LENGTH = 8
"""Characters from which a secret is replaced. A shorter one occurs in any text by chance."""

_REDACTED = "***"
_MAX_RECENT = 64  # tokens that expire, of one server: later ones replace them
_REST = r"[\w.~+/=%-]*"  # what may follow the first characters of a secret
_PARTS = re.compile(r"[\s,;]+")
# The loggers of httpx, of what it sends with, and of HTTP/2's header compression. A filter of a
# logger is not asked about the records of the loggers below it, so each is named.
_LOGGERS = (
    "httpx",
    "httpcore.connection",
    "httpcore.http11",
    "httpcore.http2",
    "httpcore.proxy",
    "httpcore.socks",
    "hpack.hpack",
    "hpack.table",
)


class Redactor:
    """Replaces the secrets of one server in texts, in upper or lower case, quoted or not.

    While it lives, log records of httpx and of the libraries below it are redacted too.

    Args:
        secrets: The secrets known from the start; those shorter than `MIN_LENGTH` are ignored.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._fixed = frozenset(part for secret in secrets for part in _parts_of(secret))
        self._recent: tuple[str, ...] = ()  # the oldest first
        self._pattern: re.Pattern[str] | None = None
        if self._fixed:
            self._update()

    def __repr__(self) -> str:
        return f"Redactor({len(self.secrets)} secrets)"

    @property
    def secrets(self) -> frozenset[str]:
        """The secrets to replace."""
        return self._fixed.union(self._recent)

    def add(self, secret: str) -> None:
        """Replace this secret from now on, and the parts it consists of.

        Args:
            secret: A key, or the value of a header such as `Bearer KEY` or `Basic BASE64`.
        """
        known = self.secrets
        if new := [part for part in dict.fromkeys(_parts_of(secret)) if part not in known]:
            self._recent = (*self._recent, *new)[-_MAX_RECENT:]
            self._update()

    def redact(self, text: str) -> str:
        """Return `text` with each secret replaced by "***"."""
        return self._pattern.sub(_REDACTED, text) if self._pattern is not None else text

    def _update(self) -> None:
        self._pattern = _pattern_of(self.secrets)
        _LOG_FILTER.add(self)


def _parts_of(secret: str) -> Iterable[str]:
    """Yield a secret, and its parts: schemes, user and password in base64, values of cookies."""
    texts = [secret]
    scheme, _, credentials = secret.partition(" ")
    if scheme.lower() == "basic":
        texts += _decoded(credentials.strip())
    words = [word for text in texts for word in _PARTS.split(text)]
    values = [word.partition("=")[2] for word in words]
    users = [part for text in texts[1:] for part in text.partition(":")[::2]]
    for part in (*texts, *words, *values, *users):
        if len(part.strip()) >= MIN_LENGTH:
            yield part.strip()


def _decoded(credentials: str) -> list[str]:
    try:
        return [base64.b64decode(credentials).decode()]
    except (Base64Error, UnicodeDecodeError):
        return []


def _pattern_of(secrets: Iterable[str]) -> re.Pattern[str]:
    longest_first = sorted(secrets, key=len, reverse=True)
    wholes, heads = list[str](), dict[str, None]()
    for secret in longest_first:
        forms = [_forms_of(char) for char in secret]
        wholes.append("".join(forms))
        heads["".join(forms[:MIN_LENGTH])] = None
    # A text that was cut off may end in the first part of a secret.
    cut = f"(?:{'|'.join(heads)}){_REST}"
    return re.compile("|".join([*wholes, cut]), re.IGNORECASE)


def _forms_of(char: str) -> str:
    """Return a pattern for a character as it is, and quoted as in URLs, JSON, HTML and reprs."""
    if char.isalnum():
        return re.escape(char)
    forms = {f"%{ord(char):02x}", f"%25{ord(char):02x}", html.escape(char), f"&#{ord(char)};"}
    forms |= {f"\\u{ord(char):04x}", json.dumps(char)[1:-1], char}
    alternatives = sorted(map(re.escape, forms), key=len, reverse=True)
    plus = [r"\+"] if char == " " else []
    return f"(?:\\\\*(?:{'|'.join([*alternatives, *plus])}))"


class _LogFilter(logging.Filter):
    """Redacts log records by the secrets of all servers in use; drops none."""

    def __init__(self) -> None:
        super().__init__()
        self._redactors: WeakSet[Redactor] = WeakSet()
        self._lock = Lock()
        self._pattern: re.Pattern[str] | None = None  # None: to be made again
        for name in _LOGGERS:
            logging.getLogger(name).addFilter(self)

    def add(self, redactor: Redactor) -> None:
        with self._lock:
            self._redactors.add(redactor)
            self._pattern = None

    def filter(self, record: logging.LogRecord) -> bool:
        try:
            message = record.getMessage()
        except Exception:  # noqa: BLE001  # a wrong format string: `logging` itself reports it
            return True
        redacted = self._all_secrets().sub(_REDACTED, message)
        if redacted != message:
            record.msg, record.args = redacted, ()
        return True

    def _all_secrets(self) -> re.Pattern[str]:
        with self._lock:
            if self._pattern is None:
                secrets = {secret for one in self._redactors for secret in one.secrets}
                self._pattern = _pattern_of(secrets) if secrets else re.compile(r"(?!)")
            return self._pattern


_LOG_FILTER = _LogFilter()
