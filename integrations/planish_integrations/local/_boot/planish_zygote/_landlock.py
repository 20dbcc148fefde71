"""The tier without namespaces."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from planish_integrations.local._recipe import Config


def enter(config: "Config"):
    raise OSError("not built yet")
