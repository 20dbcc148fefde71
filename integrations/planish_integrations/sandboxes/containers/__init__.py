"""Run programs in containers of Docker or Podman."""

from ._sandbox import ContainerSandbox

__all__ = ["ContainerSandbox"]
