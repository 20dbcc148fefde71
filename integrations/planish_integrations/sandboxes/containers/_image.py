"""An image for an environment, built once and found again by its fingerprint."""

import shlex

import anyio
from anyio.lowlevel import RunVar

from planish_integrations.environments import EnvSpec

from ._engine import Engine

__all__ = ["image_of", "recipe"]

_BUILD = 1_800.0  # seconds; a big environment takes minutes to download
_locks: RunVar[dict[tuple[Engine, str], anyio.Lock]] = RunVar("planish_container_builds")


async def image_of(engine: Engine, spec: EnvSpec) -> str:
    """Return the name of the image for an environment; build it if it is not there yet.

    Who asks for one that is being built waits for that.

    Raises:
        SandboxError: it cannot be built.
    """
    # With "localhost" no engine looks for it in a registry.
    name = f"localhost/planish-env:{spec.fingerprint[:40]}"
    async with _lock(engine, name):
        known = await engine.call("image", "ls", "--quiet", "--filter", f"reference={name}")
        if not known.strip():
            arguments = [word for variable in spec.env for word in ("--build-arg", variable)]
            await engine.call(
                *("build", "--tag", name, *arguments, "-"),
                stdin=recipe(spec).encode(),
                seconds=_BUILD,
            )
    return name


def recipe(spec: EnvSpec) -> str:
    """Return the Dockerfile of an environment.

    Variables of the build are arguments, whose values the engine takes from this process; they
    are not in the recipe.
    """
    lines = [f"FROM {spec.base_image or f'docker.io/library/python:{spec.python}-slim'}"]
    lines += [f"ARG {name}" for name in spec.env]
    if spec.system_packages:
        packages = " ".join(map(shlex.quote, spec.system_packages))
        lines.append(
            "RUN apt-get update && apt-get install -y --no-install-recommends "
            f"{packages} && rm -rf /var/lib/apt/lists/*"
        )
    if spec.requirements:
        lines.append("RUN " + _pip(spec))
    lines += [f"RUN {command}" for command in spec.commands]
    return "\n".join(lines) + "\n"


def _pip(spec: EnvSpec) -> str:
    words = ["python3", "-m", "pip", "install", "--no-cache-dir"]
    if spec.wheels_only:
        words += ["--only-binary", ":all:"]
    for index, source in enumerate(spec.sources):
        words += ["--extra-index-url" if index else "--index-url", source]
    before = ""
    if spec.constraints:
        listed = " ".join(map(shlex.quote, spec.constraints))
        before = f"printf '%s\\n' {listed} > /tmp/constraints.txt && "
        words += ["--constraint", "/tmp/constraints.txt"]  # noqa: S108  # in the image
    return before + shlex.join([*words, *spec.requirements])


def _lock(engine: Engine, name: str) -> anyio.Lock:
    try:
        locks = _locks.get()
    except LookupError:
        locks = dict[tuple[Engine, str], anyio.Lock]()
        _locks.set(locks)
    return locks.setdefault((engine, name), anyio.Lock())
