"""One way over HTTP for all providers: time-outs, pace, backoff, circuit breaker, prices.

The models of `planish_integrations.openai`, `.anthropic`, `.gemini` and `.ollama` stand on it; they
add a wire each, which is what differs. Who brings another wire writes a
`planish_integrations.models.transport.protocol.Wire` and gives it to `HttpModel`.
"""

from planish.data.usage import Price
from planish.errors import CircuitOpenError
from planish_integrations.models.transport._breaker import Breaker
from planish_integrations.models.transport._connections import new_client
from planish_integrations.models.transport._endpoint import Endpoint
from planish_integrations.models.transport._model import HttpModel, near
from planish_integrations.models.transport._options import Options, Prices, Timeouts
from planish_integrations.models.transport._rate_limiter import Pace
from planish_integrations.models.transport._retry import Backoff
from planish_integrations.models.transport._secret import Secret, key_of
from planish_integrations.models.transport.catalogue import CATALOGUE, PRICES, PRICES_AS_OF, Listed

__all__ = [
    "CATALOGUE",
    "PRICES",
    "PRICES_AS_OF",
    "Backoff",
    "Breaker",
    "CircuitOpenError",
    "Endpoint",
    "HttpModel",
    "Listed",
    "Options",
    "Pace",
    "Price",
    "Prices",
    "Secret",
    "Timeouts",
    "key_of",
    "near",
    "new_client",
]
