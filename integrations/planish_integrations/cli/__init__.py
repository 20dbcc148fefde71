"""The `planish` command. One file a command, loaded when it is called."""

from planish_integrations.cli._main import main

__all__ = ["main"]
