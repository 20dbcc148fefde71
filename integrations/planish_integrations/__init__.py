"""planish's public names; and below, one module for each thing of the world it works with.

`planish_integrations.local` runs code on this machine, isolated; `.e2b` and `.containers` run it
elsewhere; `.models` finds models by name, `.openai`, `.anthropic`, `.gemini` and `.ollama` speak
to them; `.otel` sets up OpenTelemetry. Each is imported by its own name, so that nothing is
loaded that is not used; planish's own names are loaded when they are first asked for.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from planish import *  # noqa: F403 - that is what this module is for
else:

    def __getattr__(name: str) -> object:
        import planish  # noqa: PLC0415 - a program that only starts does not need it

        if name == "__all__":
            return planish.__all__
        try:
            return getattr(planish, name)
        except AttributeError:
            said = f"module 'planish_integrations' has no attribute {name!r}"
            raise AttributeError(said) from None


def __dir__() -> list[str]:
    import planish  # noqa: PLC0415 - as above

    return list(planish.__all__)
