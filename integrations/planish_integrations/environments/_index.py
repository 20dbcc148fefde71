"""pip's settings for package sources, and the secrets in them."""

import os
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from planish.arguments import require_text, require_texts

__all__ = ["Index"]

# Variables of the host that pip may read: program paths, certificates and proxies.
_HOST = (
    *("PATH", "HOME", "LANG", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE"),
    *("http_proxy", "https_proxy", "all_proxy", "no_proxy"),
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"),
    *("PIP_CERT", "PIP_CLIENT_CERT", "PIP_PROXY", "PIP_TRUSTED_HOST"),
)
# pip's own settings for package sources, used if `Index` has none.
_SETTING = ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_NO_INDEX")
_FILES = ("PIP_CONFIG_FILE", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS")

_TOO_SHORT = 3  # characters: a shorter value is no secret and occurs in any text
_LOGIN = re.compile(r"(?<=://)[^/\s@'\"]+@")


class Index:
    """Package sources for pip.

    Args:
        index_url: The only index; its credentials are kept out of command lines, messages and
            fingerprints. None for pip's own configuration.
        find_links: Folders, or addresses of pages, with wheels. Without an index, the only sources.
        env: Names of further variables of this process that pip may read.
    """

    def __init__(
        self, index_url: str | None, find_links: Collection[str | Path], env: Collection[str]
    ) -> None:
        if index_url is not None:
            require_text("Environments", "index_url", index_url)
        self._url = index_url
        require_texts("Environments", "find_links", find_links, paths=True)
        require_texts("Environments", "env", env)
        self._links = [_link(one) for one in find_links]
        self._env = tuple(env)
        urls = [] if index_url is None else [index_url]
        self.sources = tuple(_LOGIN.sub("", one) for one in (*urls, *self._links))

    def __getstate__(self) -> dict[str, Any]:
        """Return the configuration.

        Raises:
            TypeError: an address has credentials.
        """
        if any(_LOGIN.search(one) for one in (self._url or "", *self._links)):
            raise TypeError(
                "Environments with credentials in an address are not pickled, because others could "
                "read them in a queue or a file: name the index in PIP_INDEX_URL on the machine "
                "where they are used, or create them there"
            )
        return vars(self).copy()

    def variables(self) -> Mapping[str, str]:
        """Return pip's environment variables, which also carry the credentials."""
        own_sources = self._url is not None or bool(self._links)
        names = (*_HOST, *self._env) if own_sources else (*_HOST, *_SETTING, *_FILES, *self._env)
        found = {name: os.environ[name] for name in names if name in os.environ}
        found |= {"LC_ALL": "C.UTF-8", "PYTHONUTF8": "1", "PIP_USER": "0"}
        found["PIP_REQUIRE_VIRTUALENV"] = "0"
        if not own_sources:
            return found
        found["PIP_CONFIG_FILE"] = os.devnull  # a configuration file could name another index
        if self._url is None:
            found["PIP_NO_INDEX"] = "1"
        else:
            found["PIP_INDEX_URL"] = self._url
        if self._links:
            found["PIP_FIND_LINKS"] = " ".join(self._links)
        return found

    def redact(self, text: str) -> str:
        """Return a text without the credentials of any address and without settings secrets."""
        text = _LOGIN.sub("***@", text)
        for secret in self._secrets():
            text = text.replace(secret, "***")
        return text

    def _secrets(self) -> list[str]:
        settings = [
            self._url or "",
            *self._links,
            *map(os.environ.get, _SETTING, [""] * len(_SETTING)),
        ]
        passwords = [_password(one) for text in settings for one in (text or "").split()]
        values = [os.environ.get(name, "") for name in self._env]
        found = {*passwords, *map(unquote, passwords), *values}
        return sorted((one for one in found if len(one) > _TOO_SHORT), key=len, reverse=True)


def _link(link: str | Path) -> str:
    """Return a link as a URL, because pip separates links by spaces and a path may have some."""
    if isinstance(link, str) and "://" in link:
        return link
    return Path(link).absolute().as_uri()


def _password(address: str) -> str:
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    # A token may be the user name, without a password.
    return parts.password or parts.username or ""
