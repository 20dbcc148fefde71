"""One try of a request: what it has used if it fails."""

from dataclasses import dataclass

from planish.data.usage import Price, Usage
from planish_integrations.models.transport.protocol import ResponseReader

__all__ = ["Try"]


@dataclass(slots=True)
class Try:
    """How far one try of a request has come.

    Attributes:
        reader: Reads the response.
        price: The model's price; None if it is unknown.
        prompt_tokens: An estimate of the request's tokens.
        sent: At least a part of the request has been sent.
        refused: The provider answered with an error and no response, which costs nothing.
        unread: Characters of a response that the reader has not read.
    """

    reader: ResponseReader
    price: Price | None
    prompt_tokens: int
    sent: bool = False
    refused: bool = False
    unread: int = 0

    def failed_usage(self) -> Usage:
        """Return what it has used if it ends now.

        That is what the provider has reported so far. What it has not is estimated, because it
        charges for what it has read and written, whether or not that arrives.
        """
        if not self.sent:
            return Usage()
        if self.refused:
            return Usage(failed_calls=1)
        return self.reader.partial_usage(self.price, self.prompt_tokens, self.unread)
