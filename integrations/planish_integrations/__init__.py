"""planish's public names; and below, one module for each thing of the world it works with.

`planish_integrations.local` runs code on this machine, `.openai` asks models, `.otel` sets up
OpenTelemetry. Each is imported by its own name, so that nothing is loaded that is not used.
"""

import planish
from planish import *  # noqa: F403 - that is what this module is for

__all__: list[str] = []
__all__ += planish.__all__
