"""Where requests go, and the key that opens it; the key is never shown."""

import httpx

from planish.errors import AuthenticationError

__all__ = ["Endpoint", "request_id_of"]

_REQUEST_IDS = ("x-request-id", "request-id", "apim-request-id", "x-kong-request-id")


class Endpoint:
    """One server that speaks the chat-completions API.

    Args:
        provider: Who serves it, for messages.
        base_url: What stands before `/chat/completions`. A query in it stays at the end: Azure
            has its `api-version` there.
        key: Sent as `Authorization: Bearer`; "" for none.

    Raises:
        ValueError: `base_url` is not an http or https URL.
        AuthenticationError: the key has characters that no header can have.
    """

    def __init__(self, provider: str, base_url: str, key: str) -> None:
        self.provider = provider
        self._base = _parsed(base_url)
        self.host = self._base.host
        # No user, password or query: they may be secrets.
        self.shown = str(self._base.copy_with(userinfo=b"", query=None, fragment=None))
        if not (key.isascii() and key.isprintable()):
            raise AuthenticationError(
                f"the key for {provider} has a line break, or another character that no HTTP "
                "header can have; was more copied than the key?"
            )
        self._key = key

    def __repr__(self) -> str:
        return f"{self.provider} at {self.shown}"

    def url(self, path: str) -> httpx.URL:
        """Where `path` is on this server."""
        return self._base.copy_with(path=self._base.path.rstrip("/") + path)

    def headers(self) -> httpx.Headers:
        """Those of each request; the repr of `httpx.Headers` hides the key."""
        # Not compressed: answers are small, and are read as they come.
        headers = httpx.Headers({"content-type": "application/json", "accept-encoding": "identity"})
        if self._key:
            headers["authorization"] = f"Bearer {self._key}"
        return headers

    def says(self, what: str, headers: httpx.Headers | None = None) -> str:
        """An error message about this server; where `what` quotes the key, it is hidden."""
        if self._key:
            what = what.replace(self._key, "***")
        request_id = request_id_of(headers)
        return f"{self!r} {what}" + (f" [request {request_id}]" if request_id else "")

    @property
    def is_local(self) -> bool:
        """It is this machine: no proxy stands between."""
        return self.host in {"localhost", "::1"} or self.host.startswith("127.")

    @property
    def max_tokens_field(self) -> str:
        """What it most likely calls the most tokens to answer with."""
        newer = self.host == "api.openai.com" or self.host.endswith(".openai.azure.com")
        return "max_completion_tokens" if newer else "max_tokens"


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
        raise ValueError(f"base_url {base_url!r} is not a URL: {error}") from None
    if url.scheme not in {"http", "https"} or not url.host:
        raise ValueError(f"base_url {base_url!r} must begin with http:// or https:// and a host")
    return url
