"""Run programs in containers of Docker or Podman."""

from planish_integrations.sandboxes.containers import ContainerSandbox

__all__ = ["ContainerSandbox"]
