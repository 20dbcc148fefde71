"""How pip is called, how often, and how long a build waits between two calls."""

import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest

from planish_integrations.environments import EnvSpec
from planish_integrations.environments import _builder as builder_module
from planish_integrations.environments._builder import Builder
from planish_integrations.environments._index import Index
from planish_integrations.environments._pip import InstallFailure, PipResult
from planish_integrations.environments._store import BuiltEnvironment, Store

pytestmark = pytest.mark.anyio

UNREACHABLE = "Could not fetch URL http://a/: connection error: Max retries exceeded"
BROKEN = "ERROR: Wheel 'plain' located at /a.whl is invalid."
MISSING = "ERROR: Could not find a version that satisfies the requirement plain (from versions: )"


class Sleeps:
    """A clock whose waits take no time and are recorded."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def time(self) -> float:
        return 0.0

    async def sleep(self, seconds: float) -> None:
        self.seconds.append(seconds)


class Pip:
    """Stands for pip: each call has the next of its outputs; "" is a success."""

    def __init__(self, *outputs: str) -> None:
        self.outputs = list(outputs)
        self.arguments: list[list[str]] = []
        self.env: Mapping[str, str] = {}
        self.constraints = ""

    async def run(
        self, arguments: Sequence[str], env: Mapping[str, str], lock: int, seconds: float
    ) -> PipResult:
        assert (lock >= 0, seconds) == (True, 7.0)
        self.arguments.append([*arguments])
        self.env = env
        place = arguments[arguments.index("--constraint") + 1]
        self.constraints = await anyio.Path(place).read_text("utf-8")
        for folder in (env["TMPDIR"], arguments[arguments.index("--target") + 1]):
            assert await anyio.Path(folder).is_dir()
        result = PipResult()
        output = self.outputs.pop(0)
        result.add(output.encode())
        result.code = 1 if output else 0
        return result


async def built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pip: Pip, spec: EnvSpec, tries: int = 3
) -> tuple[BuiltEnvironment | InstallFailure, list[float]]:
    sleeps = Sleeps()
    monkeypatch.setattr(builder_module, "run_pip", pip.run)
    monkeypatch.setattr(builder_module, "random", lambda: 1.0)
    options: dict[str, Any] = {"timeout": 7.0, "tries": tries, "clock": sleeps}
    index = Index("http://me:secret@a/simple", (), ())
    builder = Builder(Store(tmp_path), index, denylist=frozenset(), **options)
    found, was_built = await builder.get(spec)
    assert was_built
    assert list((tmp_path / "building").iterdir()) == []
    return found, sleeps.seconds


async def test_pip_gets_the_requirements_their_versions_and_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pip = Pip("")
    spec = EnvSpec(requirements=("plain", "other>1"), constraints=("a==1", "b<2"))
    found, _ = await built(tmp_path, monkeypatch, pip, spec)
    assert isinstance(found, BuiltEnvironment)
    [arguments] = pip.arguments
    assert arguments[0] == "install"
    assert arguments[arguments.index("--") + 1 :] == list(spec.requirements)
    options = arguments[1 : arguments.index("--")]
    assert Path(options[options.index("--target") + 1]).name == "site"
    assert options[options.index("--cache-dir") + 1] == str(tmp_path / "pip")
    assert options[options.index("--only-binary") + 1] == ":all:"
    assert {"--no-input", "--no-color", "-vv", "--disable-pip-version-check"} <= {*options}
    assert "--no-warn-conflicts" in options
    pairs = {"--progress-bar": "off", "--retries": "1", "--root-user-action": "ignore"}
    assert {name: options[options.index(name) + 1] for name in pairs} == pairs
    assert pip.constraints == "".join(f"{one}\n" for one in spec.constraints)
    assert pip.env["PIP_INDEX_URL"] == "http://me:secret@a/simple"
    assert stat.S_IMODE(found.path.parent.stat().st_mode) == 0o755


async def test_sources_are_built_where_the_specification_allows_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pip = Pip("")
    await built(tmp_path, monkeypatch, pip, EnvSpec(requirements=("plain",), wheels_only=False))
    assert "--only-binary" not in pip.arguments[0]


@pytest.mark.parametrize("output", [UNREACHABLE, BROKEN])
async def test_a_try_after_a_failure_waits_longer_each_time_and_leaves_out_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, output: str
) -> None:
    pip = Pip(output, output, output, "")
    spec = EnvSpec(requirements=("plain",))
    found, sleeps = await built(tmp_path, monkeypatch, pip, spec, tries=4)
    assert isinstance(found, BuiltEnvironment)
    assert sleeps == [0.5, 1.0, 2.0]
    cached = ["--cache-dir" in arguments for arguments in pip.arguments]
    assert cached == [True, False, False, False]
    assert ["--no-cache-dir" in arguments for arguments in pip.arguments] == [not c for c in cached]


@pytest.mark.parametrize(("output", "tries", "calls"), [(UNREACHABLE, 2, 2), (MISSING, 3, 1)])
async def test_the_last_try_and_a_failure_that_will_stay_end_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, output: str, tries: int, calls: int
) -> None:
    pip = Pip(*[output] * 3)
    found, sleeps = await built(tmp_path, monkeypatch, pip, EnvSpec(requirements=("plain",)), tries)
    assert isinstance(found, InstallFailure)
    assert (len(pip.arguments), len(sleeps)) == (calls, calls - 1)
    assert found.kind == ("unreachable" if output == UNREACHABLE else "missing")


async def test_a_failure_is_told_without_credentials(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pip = Pip("ERROR: HTTP error 401 for http://me:secret@a/simple with secret")
    found, _ = await built(tmp_path, monkeypatch, pip, EnvSpec(requirements=("plain",)))
    assert isinstance(found, InstallFailure)
    assert found.text == "ERROR: HTTP error 401 for http://***@a/simple with ***"
