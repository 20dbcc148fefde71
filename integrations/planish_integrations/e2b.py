"""E2B"s cloud sandboxes, by its own SDK, and what it takes to rely on them."""

from planish_integrations.sandboxes.e2b import HOBBY, PRO, E2BSandbox, E2BSession, Plan

__all__ = ["HOBBY", "PRO", "E2BSandbox", "E2BSession", "Plan"]
