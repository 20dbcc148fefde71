"""All tricks, by name."""

from tests.forging.answering import ANSWERING
from tests.forging.changing import CHANGING
from tests.forging.deciding import DECIDING
from tests.forging.entering import ENTERING
from tests.forging.injecting import INJECTING
from tests.forging.leaving import LEAVING
from tests.forging.lying import LYING
from tests.forging.naming import NAMING
from tests.forging.peeking import PEEKING
from tests.forging.planting import PLANTING
from tests.forging.reading import READING
from tests.forging.recording import RECORDING
from tests.forging.speaking import SPEAKING
from tests.forging.starving import STARVING
from tests.forging.surviving import PRINTING, SURVIVING
from tests.forging.trick import Trick
from tests.forging.values import VALUES

__all__ = ["CLASSES", "TRICKS"]

CLASSES: dict[str, dict[str, Trick]] = {
    "reading": READING,
    "peeking": PEEKING,
    "naming": NAMING,
    "planting": PLANTING,
    "values": VALUES,
    "recording": RECORDING,
    "speaking": SPEAKING,
    "lying": LYING,
    "answering": ANSWERING,
    "deciding": DECIDING,
    "entering": ENTERING,
    "injecting": INJECTING,
    "changing": CHANGING,
    "leaving": LEAVING,
    "starving": STARVING,
    "surviving": SURVIVING,
    "printing": PRINTING,
}
"""The tricks of each class."""

TRICKS: dict[str, Trick] = {name: t for tricks in CLASSES.values() for name, t in tricks.items()}
"""All of them."""
