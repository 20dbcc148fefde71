"""HTTP for all providers: time-outs, rate limits, retries, circuit breaker, prices.

The models of `planish_integrations.openai`, `.anthropic`, `.gemini` and `.ollama` subclass
`HttpModel` and add a protocol each. To support another provider, implement
`planish_integrations.models.transport.protocol.ProviderProtocol` and pass it to `HttpModel`.
"""

from planish.data.usage import Price
from planish.errors import CircuitOpenError
from planish_integrations.models.transport._backoff import Backoff
from planish_integrations.models.transport._breaker import Breaker
from planish_integrations.models.transport._connections import new_client
from planish_integrations.models.transport._endpoint import Endpoint, HeaderValue
from planish_integrations.models.transport._extra import without_secrets
from planish_integrations.models.transport._model import HttpModel, suggest
from planish_integrations.models.transport._options import Options, Timeouts, check_texts
from planish_integrations.models.transport._rate_limiter import RateLimiter
from planish_integrations.models.transport._redaction import Redactor
from planish_integrations.models.transport._secret import (
    ApiKey,
    Secret,
    TokenSource,
    find_secrets,
    holds_secret,
    resolve_key,
)
from planish_integrations.models.transport.catalogue import (
    CATALOGUE,
    PRICES,
    PRICES_AS_OF,
    CatalogueEntry,
)
from planish_integrations.models.transport.prices import Prices, find_price
from planish_integrations.models.transport.protocol import Effort

__all__ = [
    "CATALOGUE",
    "PRICES",
    "PRICES_AS_OF",
    "ApiKey",
    "Backoff",
    "Breaker",
    "CatalogueEntry",
    "CircuitOpenError",
    "Effort",
    "Endpoint",
    "HeaderValue",
    "HttpModel",
    "Options",
    "Price",
    "Prices",
    "RateLimiter",
    "Redactor",
    "Secret",
    "Timeouts",
    "TokenSource",
    "check_texts",
    "find_price",
    "find_secrets",
    "holds_secret",
    "new_client",
    "resolve_key",
    "suggest",
    "without_secrets",
]
