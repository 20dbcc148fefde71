"""A server's address, key and headers, with its secrets redacted from messages and errors."""

from base64 import b64encode
from collections.abc import Callable, Mapping
from typing import Any, TypeVar
from urllib.parse import unquote
from urllib.request import getproxies

import httpx

from planish.errors import PlanishError
from planish_integrations.models.transport._redaction import Redactor
from planish_integrations.models.transport._secret import (
    Secret,
    TokenSource,
    holds_secret,
    is_secret_header,
    resolve_token,
)

__all__ = ["Endpoint", "HeaderValue", "request_id_of"]

_REQUEST_IDS = (
    "x-request-id",
    "request-id",
    "apim-request-id",
    "x-kong-request-id",
    "x-goog-request-id",
    "x-amzn-requestid",
    "cf-ray",
)

HeaderValue = str | Secret | TokenSource
"""The value of a header, or an asynchronous function that returns the current one."""

Error = TypeVar("Error", bound=PlanishError)


class _Headers(httpx.Headers):
    """Headers whose repr has the names only; httpx hides just some headers that hold keys."""

    def __repr__(self) -> str:
        return f"Headers({', '.join(self)})"


class _Url(httpx.URL):
    """A URL whose repr omits the query, which may hold a key."""

    def __repr__(self) -> str:
        return f"URL({str(self.copy_with(query=None))!r})"


class Endpoint:
    """One server: builds URLs and headers, and error messages without its secrets.

    Args:
        provider: The provider's name, for messages.
        base_url: The part of the URL before the protocol's path. A query in it stays at the end,
            as Azure's `api-version` needs. A user and a password in it are sent as a header and
            are in no message.
        key: The API key, or a function that returns it; `Secret("")` for none.
        headers: The user's headers; None (the default) for none. A header whose name says that it
            holds a secret (see `holds_secret`) is treated as one.
        secrets: Further secrets that are sent to this server, by where they were set.

    Raises:
        ValueError: `base_url` is not an http or https URL; a header has a line break, or another
            character that no header can have.
        TypeError: the value of a header is neither a text nor a function.
    """

    def __init__(
        self,
        provider: str,
        base_url: str,
        key: Secret | TokenSource,
        headers: Mapping[str, HeaderValue] | None = None,
        secrets: Mapping[str, str] | None = None,
    ) -> None:
        self.provider = provider
        url = _parse_url(base_url)
        self.host: str = url.host
        self.port: int = url.port or (443 if url.scheme == "https" else 80)
        self.authority: str = url.netloc.decode("ascii")
        """The host, and the port if it is not the scheme's own."""
        # httpx logs the URL of each request, so it must not hold the user and the password.
        self._base = _Url(url.copy_with(userinfo=b"", fragment=None))
        # Without the query, which may hold a key.
        self.display_url: str = str(self._base.copy_with(query=None))
        self.key = key
        self._user = Secret(b64encode(url.userinfo).decode() if url.userinfo else "")
        self._user_headers = _checked_headers(headers or {})
        self._urls: dict[str, httpx.URL] = {}  # one or two paths; building a URL is slow
        self._places = _places_of_secrets(url, key, self._user_headers, secrets or {})
        self._redactor = Redactor(self._known_secrets(url, secrets or {}))

    def _known_secrets(self, url: httpx.URL, others: Mapping[str, str]) -> list[str]:
        hidden = (v for v in (self.key, *self._user_headers.values()) if isinstance(v, Secret))
        known = [*_query_secrets(url).values(), *others.values(), *(s.reveal() for s in hidden)]
        proxies = () if self.is_local else tuple(getproxies().values())
        for userinfo in (url.userinfo, *map(_userinfo_of, proxies)):
            if userinfo:
                password = userinfo.partition(b":")[2].decode("ascii", "replace")
                known += [password, unquote(password), f"Basic {b64encode(userinfo).decode()}"]
        return known

    def config(self) -> Mapping[str, Any]:
        """Return the address and the headers, without secrets, for fingerprints."""
        headers = {n: value for n, value in self._user_headers.items() if isinstance(value, str)}
        query = [(n, v) for n, v in self._base.params.multi_items() if not holds_secret(n)]
        return {"url": self.display_url, "query": query, "headers": headers}

    def __repr__(self) -> str:
        return f"{self.provider} at {self.display_url}"

    def __getstate__(self) -> dict[str, Any]:
        """Return the configuration, if no secret in it was passed as a value.

        Raises:
            TypeError: a secret was passed as a value.
        """
        if self._places:
            raise TypeError(
                f"{self!r} is not pickled: {', '.join(self._places)} would be in the pickle, which "
                "others could read in a queue or a file. Secrets travel as the name of their "
                "variable: set the key in the environment of the machine where the model runs and "
                "leave api_key out, pass Secret.from_environment(NAME) as the key or header, or "
                "create the model there"
            )
        return {**vars(self), "_redactor": None, "_urls": {}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._redactor = Redactor(self._known_secrets(httpx.URL(self._base), {}))

    def url(self, path: str) -> httpx.URL:
        """Return the URL of a path on this server; the path may have a query."""
        if path not in self._urls:
            self._urls[path] = self._url(path)
        return self._urls[path]

    def _url(self, path: str) -> httpx.URL:
        path, _, query = path.partition("?")
        url = self._base.copy_with(path=self._base.path.rstrip("/") + path)
        return _Url(url.copy_merge_params(httpx.QueryParams(query)) if query else url)

    async def headers(self, protocol: Callable[[str], Mapping[str, str]]) -> httpx.Headers:
        """Return the headers of a request, with the current keys; their repr has the names only.

        Args:
            protocol: Returns the protocol's headers for a key.

        Raises:
            AuthenticationError: a function that returns a key failed, or returned none.
        """
        # Not compressed: responses are small and are read as they arrive.
        plain = {"content-type": "application/json", "accept-encoding": "identity"}
        user = {"authorization": f"Basic {self._user.reveal()}"} if self._user else {}
        key = protocol(await self._current(self.key))
        own = {name: await self._current(value) for name, value in self._user_headers.items()}
        return _Headers({**plain, **user, **key, **own})

    async def _current(self, value: HeaderValue) -> str:
        if isinstance(value, str):
            return value
        if isinstance(value, Secret):
            return value.reveal()
        text = (await resolve_token(value, self.provider)).reveal()
        self._redactor.add(text)
        return text

    def learn(self, headers: httpx.Headers, query: bytes) -> None:
        """Redact from now on the secrets in the headers and the query of a request that was sent.

        A client of the user's may have added some.
        """
        sent = (*headers.items(), *httpx.QueryParams(query).multi_items())
        for name, value in sent:
            if holds_secret(name):
                self._redactor.add(value)

    def redact(self, text: str) -> str:
        """Return `text` with this server's secrets replaced by "***"."""
        return self._redactor.redact(text)

    def message(
        self, text: str, headers: httpx.Headers | None = None, request_id: str | None = None
    ) -> str:
        """Return an error message about this server, with secrets redacted.

        Args:
            text: What happened, as the predicate of a sentence about the server.
            headers: The response's headers, for the request id.
            request_id: The request id, if the headers have none.
        """
        request_id = self.request_id(headers) or request_id
        return f"{self!r} {self.redact(text)}" + (f" [request {request_id}]" if request_id else "")

    def request_id(self, headers: httpx.Headers | None) -> str | None:
        """Return the provider's id of a request, with secrets redacted; None if there is none."""
        found = request_id_of(headers)
        return None if found is None else self.redact(found)

    def without_secrets(self, error: Error) -> Error:
        """Return an error of ours without the frames and exceptions that may hold a key.

        The local variables of the HTTP libraries' frames hold the headers of the request, and
        programs that log errors with local variables would show them. The cause stays, as a new
        exception of the same class with a redacted message.
        """
        error.__cause__ = self._redacted_cause(error.__cause__)
        error.__context__ = None
        return error.with_traceback(None)

    def _redacted_cause(self, cause: BaseException | None) -> BaseException | None:
        if cause is None:
            return None
        try:
            return type(cause)(self.redact(str(cause)))
        except TypeError:  # a class that needs more than a message; ours quotes it
            return None

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


def _checked_headers(headers: Mapping[str, HeaderValue]) -> dict[str, HeaderValue]:
    """Return the headers with lower-case names; values that are secrets become `Secret`."""
    checked: dict[str, HeaderValue] = {}
    for name, value in headers.items():
        if isinstance(value, str):
            if not (value.isascii() and value.strip().isprintable()):
                problem = "has a line break, or another character that no header can have"
                raise ValueError(f"headers[{name!r}] {problem}")
            hide = is_secret_header(name, value)
            checked[name.lower()] = Secret(value) if hide else value.strip()
        elif isinstance(value, Secret) or callable(value):
            checked[name.lower()] = value
        else:
            remedy = "pass a str, a Secret, or an asynchronous function that returns the value"
            raise TypeError(f"headers[{name!r}] is {type(value).__name__}: {remedy}")
    return checked


def _places_of_secrets(
    url: httpx.URL,
    key: Secret | TokenSource,
    headers: Mapping[str, HeaderValue],
    others: Mapping[str, str],
) -> tuple[str, ...]:
    """Return where secrets were passed as values, as the user wrote it."""
    places = ["api_key"] if isinstance(key, Secret) and not key.can_travel else []
    places += [
        f"headers[{name!r}]"
        for name, value in headers.items()
        if isinstance(value, Secret) and not value.can_travel
    ]
    if url.userinfo:
        places.append("the user in base_url")
    places += [f"{name}= in base_url" for name in _query_secrets(url)]
    return (*places, *others)


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


def _userinfo_of(proxy: str) -> bytes:
    """Return the user and the password of a proxy's URL; b"" if there are none."""
    try:
        return httpx.URL(proxy).userinfo
    except httpx.InvalidURL:
        return b""


def _query_secrets(url: httpx.URL) -> dict[str, str]:
    return {name: value for name, value in url.params.multi_items() if holds_secret(name)}
