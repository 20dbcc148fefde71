"""HTTP clients, made so that nothing is left when they are closed."""

from functools import cache
from ssl import SSLContext

import httpx

__all__ = ["new_client"]


@cache
def _trust() -> SSLContext:
    # Reading the certificates takes some 20 ms of pure computing: once, not per request.
    return httpx.create_ssl_context()


def new_client(*, proxies: bool) -> httpx.AsyncClient:
    """A client without limits of its own: how many run at once is decided above it.

    Args:
        proxies: Use the proxies the environment names (HTTPS_PROXY, NO_PROXY, ...).
    """
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=20)
    return httpx.AsyncClient(verify=_trust(), limits=limits, trust_env=proxies)
