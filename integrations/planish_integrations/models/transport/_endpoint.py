"""A server's address and key, with its secrets redacted from messages."""

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
    """Headers whose repr has the names only; httpx hides just some headers that hold keys."""

    def __repr__(self) -> str:
        return f"Headers({', '.join(self)})"


class Endpoint:
    """One server: builds URLs and headers, and error messages without its secrets.

    Args:
        provider: The provider's name, for messages.
        base_url: The part of the URL before the protocol's path. A query in it stays at the end,
            as Azure's `api-version` needs. A user and a password in it are sent as a header and
            are in no message.
        key: The API key; `Secret("")` for none.

    Raises:
        ValueError: `base_url` is not an http or https URL.
    """

    def __init__(self, provider: str, base_url: str, key: Secret) -> None:
        self.provider = provider
        url = _parse_url(base_url)
        self.host: str = url.host
        # httpx logs the URL of each request, so it must not hold the user and the password.
        self._base = url.copy_with(userinfo=b"", fragment=None)
        # Without the query, which may hold a key.
        self.display_url: str = str(self._base.copy_with(query=None))
        self.key = key
        self._user = Secret(b64encode(url.userinfo).decode() if url.userinfo else "")
        self._urls: dict[str, httpx.URL] = {}  # one or two paths; building a URL is slow
        self._secrets = (key, self._user, Secret(_ascii(url.password)), *_query_secrets(url))

    def __repr__(self) -> str:
        return f"{self.provider} at {self.display_url}"

    def url(self, path: str) -> httpx.URL:
        """Return the URL of a path on this server; the path may have a query."""
        if path not in self._urls:
            self._urls[path] = self._url(path)
        return self._urls[path]

    def _url(self, path: str) -> httpx.URL:
        path, _, query = path.partition("?")
        url = self._base.copy_with(path=self._base.path.rstrip("/") + path)
        return url.copy_merge_params(httpx.QueryParams(query)) if query else url

    def headers(
        self, protocol: Callable[[str], Mapping[str, str]], extra: Mapping[str, str]
    ) -> httpx.Headers:
        """Return the headers of a request; their repr has the names only.

        Args:
            protocol: Returns the protocol's headers for a key.
            extra: The user's headers, with lower-case names; they override the others.
        """
        # Not compressed: responses are small and are read as they arrive.
        plain = {"content-type": "application/json", "accept-encoding": "identity"}
        user = {"authorization": f"Basic {self._user.reveal()}"} if self._user else {}
        return _Headers({**plain, **user, **protocol(self.key.reveal()), **extra})

    def redact(self, text: str) -> str:
        """Return `text` with this server's secrets replaced by "***"."""
        for secret in self._secrets:
            text = secret.redact_in(text)
        return text

    def message(
        self, text: str, headers: httpx.Headers | None = None, request_id: str | None = None
    ) -> str:
        """Return an error message about this server, with secrets redacted.

        Args:
            text: What happened, as the predicate of a sentence about the server.
            headers: The response's headers, for the request id.
            request_id: The request id, if the headers have none.
        """
        request_id = request_id_of(headers) or request_id
        return f"{self!r} {self.redact(text)}" + (f" [request {request_id}]" if request_id else "")

    @property
    def is_local(self) -> bool:
        """The server is this machine, so that requests use no proxy."""
        return self.host in {"localhost", "::1"} or self.host.startswith("127.")


def request_id_of(headers: httpx.Headers | None) -> str | None:
    """Return the provider's id of a request, from any of the headers providers use for it."""
    for name in _REQUEST_IDS:
        if headers is not None and name in headers:
            return headers[name]
    return None


def _parse_url(base_url: str) -> httpx.URL:
    try:
        url = httpx.URL(base_url)
    except httpx.InvalidURL as error:
        raise ValueError(f"base_url {_redacted(base_url)!r} is not a URL: {error}") from None
    if url.scheme not in {"http", "https"} or not url.host:
        raise ValueError(
            f"base_url {_redacted(base_url)!r} must begin with http:// or https:// and a host"
        )
    return url


def _redacted(base_url: str) -> str:
    """Return an invalid URL without the parts that may hold a password or a key."""
    return base_url.rpartition("@")[2].partition("?")[0]


def _query_secrets(url: httpx.URL) -> tuple[Secret, ...]:
    values = (v for name, v in url.params.multi_items() if "key" in name or "token" in name)
    return tuple(Secret(_ascii(value)) for value in values)


def _ascii(text: str) -> str:
    return text if text.isascii() and text.isprintable() else ""
