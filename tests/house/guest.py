"""The code that runs under other interpreters: what each of its rooms may import.

It stands below all of planish: it imports nothing of it, because where it runs there is none.
"""

from collections.abc import Mapping, Sequence

from tests.house.layer import Layer

__all__ = ["GUEST", "LOWEST"]

GUEST: Sequence[Layer] = (
    Layer(
        "planish.guest.verifier",
        "Runs beside a candidate, under the Python there; pytest only for pytest files.",
        packages=("_pytest", "asyncio", "numpy", "pandas", "pytest"),
    ),
    Layer(
        "planish.guest.supervisor",
        "Supervises one program, under the Python of any sandbox; sent as a zip or as text.",
    ),
    Layer("planish.guest.linux", "The calls to the kernel, for an interpreter that starts fast."),
    Layer(
        "planish.guest.zygote",
        "Runs as the template process of the local sandbox; its start file finds it by name.",
        uses=("planish.guest.linux", "planish.guest.supervisor", "planish.guest.verifier"),
        packages=("_pytest", "planish_guest"),
    ),
    Layer(
        "planish.guest.unsafe",
        "Starts the supervisor within the program's own interpreter, found by name on its path.",
        packages=("planish_guest", "sitecustomize"),
    ),
    Layer(
        "planish.guest.session",
        "A program of its own in the sandbox, under the Python there.",
        uses=("planish.guest.supervisor",),
        packages=("asyncio",),
    ),
    Layer("planish.guest.e2b", "Runs in the interpreter of a session in a microVM of E2B."),
    Layer("planish.guest.pip", "The process that pip runs in."),
    Layer(
        "planish.guest.loopback",
        "Runs in the processes of the test double of E2B, found by its file.",
        packages=("IPython", "PIL", "e2b_charts", "orjson", "traitlets"),
    ),
    Layer(
        "planish.guest.protocol",
        "What both sides must know, and the guest's files: all that the host imports of it.",
        uses=(
            *("planish.guest.session", "planish.guest.supervisor"),
            *("planish.guest.verifier", "planish.guest.zygote"),
        ),
    ),
    Layer("planish.guest", "Says the rules of the folder.", alone=True),
)

LOWEST: Mapping[str, tuple[int, int]] = {
    "e2b": (3, 9),
    "supervisor": (3, 9),
    "verifier": (3, 9),
    "linux": (3, 11),
    "loopback": (3, 11),
    "pip": (3, 11),
    "session": (3, 11),
    "unsafe": (3, 11),
    "zygote": (3, 11),
}
"""The lowest Python that each room must be understood by."""
