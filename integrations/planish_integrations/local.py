"""Run programs on this machine, isolated from it."""

from planish_integrations.sandboxes.local import (
    LANGUAGES,
    InteractiveProgram,
    LocalSandbox,
    Tier,
    TierReport,
    probe,
)
from planish_integrations.sandboxes.local.session import InSession, LocalSession, Snapshot

__all__ = [
    "LANGUAGES",
    "InSession",
    "InteractiveProgram",
    "LocalSandbox",
    "LocalSession",
    "Snapshot",
    "Tier",
    "TierReport",
    "probe",
]
