"""What a program imports is installed, by the real pip, if it may be; else it is said."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.integrations.environments.index import Index
from tests.integrations.environments.programs import Make, half_made, program, ready, untouched

from planish.data.program import Program
from planish_integrations.environments import Environment

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    """One event loop: what pip says does not depend on it. The others have files of their own."""
    return "trio"


def outcomes(environment: Environment) -> dict[str, str]:
    return {one.distribution: one.version or one.outcome for one in environment.installs}


async def test_an_allowed_package_is_installed_once(make: Make, index: Index, cache: Path) -> None:
    environments = make("PyYAML", "plain<2", index_url=index.url)
    first = await environments.resolve(program("import yaml, plain, json"))
    assert first.path is not None
    assert (first.path / "pyyaml.py").read_text().startswith("version = '6.0'")
    assert outcomes(first) == {"plain": "1.0", "pyyaml": "6.0"}
    assert [one.cached for one in first.installs] == [False, False]
    asked = index.requests.total()
    again = await environments.resolve(program("import plain\nimport yaml"))
    assert (again.path, again.fingerprint, again.findings) == (first.path, first.fingerprint, ())
    assert [one.cached for one in again.installs] == [True, True]
    assert index.requests.total() == asked
    assert ready(cache) == [first.fingerprint]
    assert sorted(one.name for one in first.path.parent.iterdir()) == ["environment.json", "site"]
    assert half_made(cache) == []


async def test_a_refused_package_starts_nothing_and_is_reported(make: Make, cache: Path) -> None:
    environments = make("numpy", "pandas>=2")
    found = await environments.resolve(program("x = 1\nimport leftpad_pro"))
    assert found.path is None
    [finding] = found.findings
    assert finding.startswith(
        "the package leftpad_pro, for `import leftpad_pro` in main.py, line 2"
    )
    assert finding.endswith("may not be installed; allowed: numpy, pandas>=2")
    assert outcomes(found) == {"leftpad_pro": "refused"}
    assert untouched(cache)  # not even the folder that pip would have worked in


async def test_what_needs_nothing_starts_nothing(make: Make, cache: Path) -> None:
    environments = make("plain")
    for one in (
        program("import json"),
        program("import helper", **{"helper.py": b""}),
        program("try:\n    import made_up\nexcept ImportError:\n    pass"),
        Program(language="node", main="a.js", files={"a.js": b"import plain from 'plain'"}),
    ):
        found = await environments.resolve(one)
        assert (found.path, found.findings, found.installs) == (None, (), ())
    assert untouched(cache)


async def test_the_file_that_is_run_is_read_whatever_its_name(make: Make) -> None:
    found = await make().resolve(Program(main="main", files={"main": b"import plain"}))
    assert outcomes(found) == {"plain": "refused"}


async def test_what_cannot_be_had_is_left_out_and_said(make: Make, cache: Path) -> None:
    environments = make("plain", "never", "broken", "homemade", tries=1)
    found = await environments.resolve(program("import never, broken, plain, homemade"))
    assert outcomes(found) == {
        "plain": "2.0",
        "never": "missing",
        "broken": "failed",
        "homemade": "missing",  # there is only its source, and to build that would run it
    }
    assert found.path is not None
    assert (found.path / "plain.py").exists()
    assert ready(cache) == [found.fingerprint]
    texts = dict(zip(("broken", "homemade", "never"), sorted(found.findings), strict=True))
    assert "for `import never`, cannot be installed: it is not in the index" in texts["never"]
    assert texts["broken"].endswith(
        "the index's files of it are broken: the file of broken is invalid"
    )


async def test_a_source_is_built_when_that_is_wanted(make: Make) -> None:
    found = await make("homemade", wheels_only=False).resolve(program("import homemade"))
    assert outcomes(found) == {"homemade": "1.0"}


async def test_what_an_allowed_package_needs_in_vain_is_traced_to_it(make: Make) -> None:
    """Of `deep`, which was asked for, pip says nothing: it names `lost` and `middle`."""
    found = await make("plain", "deep").resolve(program("import plain, deep"))
    assert outcomes(found) == {"plain": "2.0", "deep": "missing"}
    assert "lost>=3" in found.findings[0]


async def test_of_two_that_do_not_go_together_the_first_stays(make: Make) -> None:
    found = await make("old", "new").resolve(program("import old, new"))
    assert outcomes(found) == {"old": "1.0", "plain": "1.0", "new": "failed"}
    assert "old 1.0 depends on plain<2" in found.findings[0]


async def test_what_is_denied_does_not_come_in_by_the_back_door(make: Make) -> None:
    before = await make("old").resolve(program("import old"))
    assert outcomes(before) == {"old": "1.0", "plain": "1.0"}
    found = await make("old", "PyYAML", deny=["Plain"]).resolve(program("import old, yaml"))
    assert outcomes(found) == {"pyyaml": "6.0", "old": "failed"}
    assert "needs plain, which is denied" in found.findings[0]


async def test_pins_hold_for_what_is_needed_besides(make: Make, wheels: Path) -> None:
    found = await make("plain", pins={"plain": "1.0"}).resolve(program("import plain"))
    assert outcomes(found) == {"plain": "1.0"}
    besides = await make("new", pins={"plain": "1.0"}).resolve(program("import new"))
    assert outcomes(besides) == {"new": "failed"}


async def test_what_tests_need_is_always_there(make: Make) -> None:
    found = await make(always=["plain"]).resolve(program("x = 1"))
    assert outcomes(found) == {"plain": "2.0"}


async def test_what_the_host_has_need_not_be_installed(make: Make, cache: Path) -> None:
    here = make("plain", inherit=True, deny=["anyio"])
    assert (await here.resolve(program("import pytest"))).findings == ()
    assert outcomes(await here.resolve(program("import anyio"))) == {"anyio": "refused"}
    assert outcomes(await make("plain").resolve(program("import pytest"))) == {"pytest": "refused"}
    assert untouched(cache)


async def test_a_function_may_resolve_what_the_table_does_not_know(make: Make) -> None:
    asked: list[str] = []

    async def ask(module: str) -> str | None:
        asked.append(module)
        return {"odd": "plain", "odder": "leftpad"}.get(module)

    environments = make("plain", resolve_unknown=ask)
    found = await environments.resolve(program("import odd, odder, oddest, yaml, plain"))
    assert asked == ["odd", "odder", "oddest"]  # not what is known, nor what is allowed
    assert outcomes(found) == {
        "plain": "2.0",
        "leftpad": "refused",
        "oddest": "refused",
        "PyYAML": "refused",
    }


async def test_an_environment_with_a_damaged_record_is_built_again(make: Make) -> None:
    environments = make("plain")
    first = await environments.resolve(program("import plain"))
    assert first.path is not None
    (first.path.parent / "environment.json").write_text("{")
    again = await environments.resolve(program("import plain"))
    assert again.path == first.path
    assert [one.cached for one in again.installs] == [False]


async def test_what_a_program_names_is_installed_besides_what_it_imports(make: Make) -> None:
    named = replace(program("import yaml"), packages=("plain<2", "json", "PyYAML"))
    found = await make("PyYAML", "plain").resolve(named)
    assert outcomes(found) == {"plain": "1.0", "pyyaml": "6.0"}
    assert found.findings == ()


async def test_what_a_program_names_and_may_not_have_is_reported(make: Make, cache: Path) -> None:
    named = replace(program("x = 1"), packages=("nmap>=2", "pip install x", "plain==3"))
    found = await make("plain<2").resolve(named)
    assert [one.outcome for one in found.installs] == ["refused"] * 3
    first, second, third = found.findings
    assert first == (
        "the package nmap, which the answer names, may not be installed: "
        "nmap is not allowed here; allowed: plain<2"
    )
    assert second == "the package pip install x, which the answer names, is no name of a package"
    assert "plain==3 is not allowed" in third
    assert untouched(cache)


async def test_a_named_package_may_be_what_a_guessed_import_needs(make: Make) -> None:
    named = replace(program("import unknown_module"), packages=("plain",))
    found = await make("plain").resolve(named)
    assert outcomes(found) == {"plain": "2.0"}
    assert found.findings == ()


async def test_a_named_package_that_is_installed_here_is_inherited(make: Make, cache: Path) -> None:
    named = replace(program("x = 1"), packages=("pytest",))
    assert (await make("plain", inherit=True).resolve(named)).findings == ()
    assert len((await make("plain").resolve(named)).findings) == 1
    assert untouched(cache)


@pytest.mark.parametrize("named", ["plain==1.0", "plain<2", "plain"])
async def test_what_every_environment_has_is_not_chosen_by_an_answer(
    make: Make, named: str
) -> None:
    environments = make("PyYAML", always=("plain",))
    found = await environments.resolve(replace(program("import plain"), packages=(named,)))
    assert found.path is not None
    assert [one.version for one in found.installs if one.version] == ["2.0"]
    other = f"the package plain, which the answer names, is not installed as {named}: every"
    assert [text.startswith(other) for text in found.findings] == [True] * (named != "plain")


async def test_a_version_within_that_of_every_environment_is_no_finding(make: Make) -> None:
    environments = make(always=("plain==1.0",))
    found = await environments.resolve(replace(program("x = 1"), packages=("plain<2",)))
    assert (outcomes(found), found.findings) == ({"plain": "1.0"}, ())


@pytest.mark.parametrize(("every", "other"), [("new", "plain<2"), ("plain<2", "new")])
async def test_of_a_conflict_what_every_environment_has_stays(
    make: Make, every: str, other: str
) -> None:
    """Tests that import it if it is there would decide by something else without it."""
    named = replace(program("x = 1"), packages=(other, "PyYAML"))
    found = await make("PyYAML", "new", "plain", always=(every,)).resolve(named)
    [finding] = found.findings
    assert finding.startswith(f"the package {other} cannot be installed: it conflicts")
    installed = {one.distribution for one in found.installs if one.version}
    assert installed == ({"new", "plain", "pyyaml"} if every == "new" else {"plain", "pyyaml"})


async def test_what_every_environment_has_and_is_not_there_is_still_left_out(make: Make) -> None:
    environments = make("plain", always=("lost",))
    found = await environments.resolve(program("import plain"))
    assert outcomes(found) == {"lost": "missing", "plain": "2.0"}
