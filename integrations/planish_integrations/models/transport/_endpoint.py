"""Where requests go, and the key that opens it; the key is never shown."""

from base64 import b64encode
from collections.abc import Callable, Mapping

import httpx

from planish_integrations.models.transport._secret import Secret

__all__ = ["Endpoint", "request_id_of"]

_REQUEST_IDS = (
    "x-request-id",
    "request-id",
    "apim-request-id",
    "x-kong-request-id",
    "x-goog-request-id",
    "x-amzn-requestid",
    "cf-ray",
)


class _Headers(httpx.Headers):
    """Headers that bear a key; httpx itself hides only some of the names it may go by."""

    def __repr__(self) -> str:
        return f"Headers({', '.join(self)})"


class Endpoint:
    """One server, with what is secret about it hidden.

    Args:
        provider: Who serves it, for messages.
        base_url: What stands before the wire's own path. A query in it stays at the end: Azure
            has its `api-version` there. A user and a password in it are sent as a header, and
            shown nowhere.
        key: Where it has none, `Secret("")`.

    Raises:
        ValueError: `base_url` is not an http or https URL.
    """

    def __init__(self, provider: str, base_url: str, key: Secret) -> None:
        self.provider = provider
        url = _parsed(base_url)
        self.host: str = url.host
        # httpx logs the URL of each request: no user or password in it.
        self._base = url.copy_with(userinfo=b"", fragment=None)
        # Nor a query here: it may hold a key.
        self.shown: str = str(self._base.copy_with(query=None))
        self.key = key
        self._user = Secret(b64encode(url.userinfo).decode() if url.userinfo else "")
        self._urls: dict[str, httpx.URL] = {}  # a wire has one path or two; a URL is slow to make
        self._hidden = (key, self._user, Secret(_ascii(url.password)), *_query_secrets(url))

    def __repr__(self) -> str:
        return f"{self.provider} at {self.shown}"

    def url(self, path: str) -> httpx.URL:
        """Where `path`, which may have a query, is on this server."""
        if path not in self._urls:
            self._urls[path] = self._url(path)
        return self._urls[path]

    def _url(self, path: str) -> httpx.URL:
        path, _, query = path.partition("?")
        url = self._base.copy_with(path=self._base.path.rstrip("/") + path)
        return url.copy_merge_params(httpx.QueryParams(query)) if query else url

    def headers(
        self, wire: Callable[[str], Mapping[str, str]], added: Mapping[str, str]
    ) -> httpx.Headers:
        """Those of each request; their repr has the names only.

        Args:
            wire: Gives those of the wire for a key.
            added: Those of the user's own, with lower-case names; they win.
        """
        # Not compressed: answers are small, and are read as they come.
        plain = {"content-type": "application/json", "accept-encoding": "identity"}
        user = {"authorization": f"Basic {self._user.reveal()}"} if self._user else {}
        return _Headers({**plain, **user, **wire(self.key.reveal()), **added})

    def hide(self, text: str) -> str:
        """`text`, with every secret of this server hidden that it quotes."""
        for secret in self._hidden:
            text = secret.hide_in(text)
        return text

    def says(
        self, what: str, headers: httpx.Headers | None = None, request_id: str | None = None
    ) -> str:
        """An error message about this server; what it quotes of the key is hidden."""
        request_id = request_id_of(headers) or request_id
        return f"{self!r} {self.hide(what)}" + (f" [request {request_id}]" if request_id else "")

    @property
    def is_local(self) -> bool:
        """It is this machine: no proxy stands between."""
        return self.host in {"localhost", "::1"} or self.host.startswith("127.")


def request_id_of(headers: httpx.Headers | None) -> str | None:
    """The provider's id of a request, under any of the names providers were recorded to use."""
    for name in _REQUEST_IDS:
        if headers is not None and name in headers:
            return headers[name]
    return None


def _parsed(base_url: str) -> httpx.URL:
    try:
        url = httpx.URL(base_url)
    except httpx.InvalidURL as error:
        raise ValueError(f"base_url {_shown(base_url)!r} is not a URL: {error}") from None
    if url.scheme not in {"http", "https"} or not url.host:
        raise ValueError(
            f"base_url {_shown(base_url)!r} must begin with http:// or https:// and a host"
        )
    return url


def _shown(base_url: str) -> str:
    """What is not a URL, without what may be a password in it."""
    return base_url.rpartition("@")[2].partition("?")[0]


def _query_secrets(url: httpx.URL) -> tuple[Secret, ...]:
    named = (v for name, v in url.params.multi_items() if "key" in name or "token" in name)
    return tuple(Secret(_ascii(value)) for value in named)


def _ascii(text: str) -> str:
    return text if text.isascii() and text.isprintable() else ""
