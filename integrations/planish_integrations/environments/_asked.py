"""What a folder of packages on this machine cannot be, of what a specification can ask for."""

from planish.errors import UnsupportedError

from ._requirements import parsed
from ._rules import Rules
from ._spec import EnvSpec

__all__ = ["check"]

_CONTAINER = "use a container"


def check(spec: EnvSpec, rules: Rules) -> None:
    """Refuse what cannot or may not be built here, before anything is started.

    Raises:
        UnsupportedError: it names what, and the way out.
    """
    here = EnvSpec()
    for name in ("language", "python", "implementation", "platform", "abi"):
        wanted, found = getattr(spec, name), getattr(here, name)
        if wanted != found:
            raise UnsupportedError(
                f"EnvSpec({name}={wanted!r}): this interpreter is {found!r}; "
                f"run planish on such a one, or {_CONTAINER}"
            )
    for name in ("system_packages", "commands", "base_image"):
        if wanted := getattr(spec, name):
            raise UnsupportedError(
                f"EnvSpec({name}={wanted!r}): a local environment holds Python packages only; "
                f"{_CONTAINER}"
            )
    for text in spec.requirements:
        refusal = rules.refusal(parsed(text))
        if refusal is not None:
            raise UnsupportedError(f"EnvSpec(requirements=...): {refusal}")
