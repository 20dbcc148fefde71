"""Map the exceptions of httpx, and broken responses, to planish's errors."""

import ssl
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import cast

import httpx

from planish.errors import ModelError, OverloadedError, RequestError
from planish_integrations.models.transport._endpoint import Endpoint
from planish_integrations.models.transport._errors import ErrorBody, RetryableError, status_error

__all__ = ["network_errors", "overload_error", "protocol_error"]

_OTHER_ERRORS = (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, httpx.CookieConflict)


@contextmanager
def network_errors(
    endpoint: Endpoint, response: httpx.Response | None = None
) -> Generator[None, None, None]:
    """Raise the error of this package for each exception of httpx in the `with` block.

    Args:
        endpoint: The server.
        response: The response that is read; None (the default) before there is one.

    Raises:
        RetryableError: another attempt may succeed.
        RequestError: another attempt would fail too.
    """
    try:
        yield
    except httpx.TimeoutException as error:
        text = f"did not respond in time ({type(error).__name__})"
        raise RetryableError(overload_error(endpoint, response, text)) from error
    except httpx.DecodingError as error:
        text = f"content that cannot be decoded ({error})"
        raise RetryableError(protocol_error(endpoint, response, text)) from error
    except (httpx.NetworkError, httpx.RemoteProtocolError, httpx.ProxyError) as error:
        if (reason := _certificate_error(error)) is not None:
            text = f"has a certificate that cannot be verified: {reason}"
            raise RequestError(endpoint.message(text)) from error
        text = f"could not be reached, or broke off ({type(error).__name__}: {error})"
        absent = endpoint.is_local and any(map(_is_refused, _causes(error)))
        if absent:
            text += ": nothing listens there; is the server running?"
        found = overload_error(endpoint, response, text)
        raise RetryableError(found, is_absent=absent) from error
    except httpx.HTTPStatusError as error:  # raised by an event hook of the user's client
        raise status_error(endpoint, error.response, ErrorBody("")) from error
    except _OTHER_ERRORS as error:
        text = f"cannot be sent this request: {error}"  # it is invalid itself
        raise RequestError(endpoint.message(text)) from error


def overload_error(
    endpoint: Endpoint, response: httpx.Response | None, text: str
) -> OverloadedError:
    """Return the error for a server that cannot be reached, is silent or breaks off."""
    headers = None if response is None else response.headers
    message = endpoint.message(text, headers)
    return OverloadedError(message, request_id=endpoint.request_id(headers))


def protocol_error(endpoint: Endpoint, response: httpx.Response | None, text: str) -> ModelError:
    """Return the error for a response that cannot be read; `text` says what it is."""
    headers = None if response is None else response.headers
    return ModelError(
        endpoint.message(f"sent an invalid response: {text}", headers),
        status=None if response is None else response.status_code,
        request_id=endpoint.request_id(headers),
    )


def _certificate_error(error: BaseException) -> str | None:
    """Return why a server's certificate was refused; None if that is not the cause."""
    found = (one for one in _causes(error) if isinstance(one, ssl.SSLCertVerificationError))
    cause = next(found, None)
    return None if cause is None else cause.verify_message or str(cause)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an exception and what it was raised from, the members of groups too."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        if isinstance(cause, BaseExceptionGroup):
            yield from cast("BaseExceptionGroup[BaseException]", cause).exceptions
        cause = cause.__cause__ or cause.__context__


def _is_refused(error: BaseException) -> bool:
    return isinstance(error, ConnectionRefusedError)
