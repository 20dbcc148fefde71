"""The index: out of reach, out of order, wanting a password; and what is never told."""

import re
import socket
from pathlib import Path

import pytest
from tests.integrations.environments.index import Index
from tests.integrations.environments.programs import Make, half_made, program, ready

from planish.errors import AuthenticationError, SandboxError
from planish.testing import FakeClock
from planish.testing.telemetry import capture
from planish_integrations.environments import EnvSpec
from planish_integrations.environments._index import Index as Settings

pytestmark = pytest.mark.anyio

PLAIN = program("import plain")


@pytest.fixture
def anyio_backend() -> str:
    """One event loop: what the index says does not depend on it."""
    return "asyncio"


async def test_an_index_out_of_reach_is_asked_again_and_then_an_error(
    make: Make, cache: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    clock = FakeClock()
    environments = make("plain", index_url=f"http://127.0.0.1:{port}/", tries=2, clock=clock)
    with pytest.raises(SandboxError, match="the package index cannot be reached"):
        await environments.resolve(PLAIN)
    assert len(clock.sleeps) == 1
    assert (ready(cache), half_made(cache)) == ([], [])


async def test_an_index_that_comes_back_is_enough(make: Make, index: Index) -> None:
    index.failing = 2  # pip itself asks twice
    found = await make("plain", index_url=index.url, tries=2).resolve(PLAIN)
    assert found.findings == ()
    assert found.path is not None


async def test_a_failing_index_does_not_affect_later_builds(make: Make, index: Index) -> None:
    index.failing = 10
    environments = make("plain", index_url=index.url, tries=1)
    with pytest.raises(SandboxError, match="503"):
        await environments.resolve(PLAIN)
    index.failing = 0
    assert (await environments.resolve(PLAIN)).path is not None


async def test_an_installation_that_takes_too_long_is_stopped(
    make: Make, index: Index, cache: Path
) -> None:
    index.gate.clear()
    environments = make("plain", index_url=index.url, timeout=4.0)
    with pytest.raises(SandboxError, match="took too long"):
        await environments.resolve(PLAIN)
    assert (ready(cache), half_made(cache)) == ([], [])


def written(cache: Path) -> list[str]:
    return [one.read_text() for one in cache.rglob("environment.json")]


async def test_a_password_opens_the_index_and_stays_secret(
    make: Make, index: Index, cache: Path
) -> None:
    index.login = "reader:s3cret-t0ken"
    url = f"http://reader:s3cret-t0ken@{index.address}/simple"
    environments = make("plain", "never", index_url=url)
    with capture() as captured:
        found = await environments.resolve(program("import plain, never"))
    assert found.path is not None
    texts = [repr(found), repr(environments), found.spec.to_json(), str(captured.spans)]
    texts += written(cache)
    assert not [text for text in texts if "s3cret" in text]
    assert found.spec.sources == (index.url,)


async def test_a_wrong_password_is_a_usage_error_and_stays_secret(make: Make, index: Index) -> None:
    index.login = "reader:right-one"
    url = f"http://reader:wr0ng-t0ken@{index.address}/simple"
    with pytest.raises(AuthenticationError, match="rejects the credentials") as caught:
        await make("plain", index_url=url).resolve(PLAIN)
    assert not re.search("wr0ng|right", str(caught.value))


async def test_values_of_variables_that_pip_reads_stay_secret(
    make: Make, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_PATH", "hidden-path")
    environments = make("plain", index_url=f"{index.url}/hidden-path", env=["SECRET_PATH"])
    found = await environments.resolve(PLAIN)
    assert "hidden-path" not in str(found.findings)
    assert environments.spec("plain").env == ("SECRET_PATH",)


async def test_credentials_are_taken_out_wherever_they_stand(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("INDEX_KEY", "from-the-environment")
    settings = Settings(
        "https://me:pass%40word@host/simple", ["https://t0ken@host/l"], ["INDEX_KEY"]
    )
    redacted = settings.redact(
        "at https://me:pass%40word@host/simple, http://other:one@else/; said pass@word, "
        "pass%40word, t0ken, from-the-environment"
    )
    assert redacted == "at https://***@host/simple, http://***@else/; said ***, ***, ***, ***"
    assert settings.sources == ("https://host/simple", "https://host/l")


HOST = (
    *("PATH", "HOME", "LANG", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE"),
    *("http_proxy", "https_proxy", "all_proxy", "no_proxy"),
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"),
    *("PIP_CERT", "PIP_CLIENT_CERT", "PIP_PROXY", "PIP_TRUSTED_HOST"),
)


@pytest.mark.parametrize("name", HOST)
def test_pip_reads_programs_certificates_and_proxies_of_the_host(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "of the host")
    monkeypatch.setenv("PIP_TARGET", "elsewhere")
    variables = Settings("http://index/simple", (), ()).variables()
    assert variables[name] == "of the host"
    assert "PIP_TARGET" not in variables


def test_pip_asks_no_index_where_only_links_are_named() -> None:
    assert Settings(None, ("links",), ()).variables()["PIP_NO_INDEX"] == "1"


def test_pip_runs_in_a_locale_of_its_own() -> None:
    # Compilers and backends read it: the host's may have no encoding for names of files.
    variables = Settings(None, (), ()).variables()
    locale = {name: variables[name] for name in ("LC_ALL", "PYTHONUTF8")}
    assert locale == {"LC_ALL": "C.UTF-8", "PYTHONUTF8": "1"}


async def test_only_the_index_that_was_named_is_asked(
    make: Make, index: Index, wheels: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Another one could answer for the same name."""
    settings = tmp_path / ".config" / "pip" / "pip.conf"
    settings.parent.mkdir(parents=True)
    settings.write_text(f"[global]\nfind-links = {wheels.as_uri()}\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("PIP_CONFIG_FILE", raising=False)
    monkeypatch.setenv("PIP_FIND_LINKS", wheels.as_uri())
    found = await make("plain", index_url=f"http://{index.address}/empty/").resolve(PLAIN)
    assert [one.outcome for one in found.installs] == ["missing"]


async def test_without_one_pips_own_setting_is_asked(
    make: Make, wheels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", wheels.as_uri())
    found = await make("plain", find_links=()).resolve(PLAIN)
    assert found.path is not None
    assert found.spec == EnvSpec(requirements=("plain",))


async def test_a_directory_that_cannot_be_written_is_an_error(make: Make, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SandboxError, match="the environment cannot be stored"):
        await make("plain", directory=tmp_path / "file" / "cache").resolve(PLAIN)
