"""The command line itself: what it lists, loads and says."""

import re
import subprocess
import sys
from collections.abc import Callable

import click
import pytest

import planish as library
from planish_integrations.cli._main import COMMANDS, Commands

Planish = Callable[..., "subprocess.CompletedProcess[str]"]


def test_help_lists_every_command(planish: Planish) -> None:
    done = planish("--help")
    assert (done.returncode, done.stderr) == (0, "")
    for name, listed in COMMANDS.items():
        assert re.search(rf"^  {name} +{re.escape(listed.summary)}$", done.stdout, re.MULTILINE)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_can_be_loaded_and_has_help(planish: Planish, name: str) -> None:
    done = planish(name, "-h")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"Usage: planish {name}")


@pytest.mark.parametrize(
    ("name", "option", "default"),
    [
        ("exec", "--timeout", 30.0),
        ("exec", "--memory", 2048),
        ("exec", "--network", "none"),
        ("evaluate", "--timeout", 6.0),
    ],
)
def test_an_option_left_out_has_the_default_that_the_page_states(
    name: str, option: str, default: object
) -> None:
    command = Commands(name="planish").get_command(click.Context(click.Command("planish")), name)
    assert command is not None
    assert command.name == name
    (found,) = (one for one in command.params if option in one.opts)
    assert found.get_default(click.Context(command)) == default


def test_help_loads_no_command(environment: dict[str, str]) -> None:
    code = (
        "import sys\nfrom planish_integrations.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "print(sorted({m.split('.')[1] for m in sys.modules if m.startswith('planish_integr')"
        " and '.' in m}), 'httpx' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "['cli'] False"


def test_the_version_is_the_librarys(planish: Planish) -> None:
    assert planish("--version").stdout == f"planish, version {library.__version__}\n"


@pytest.mark.parametrize("module", ["planish", "planish_integrations.cli"])
def test_the_command_is_also_a_module(environment: dict[str, str], module: str) -> None:
    command = [sys.executable, "-W", "error", "-m", module, "--version"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == (f"planish, version {library.__version__}\n", "")


@pytest.mark.parametrize("arguments", [("nothing",), ("--nothing",), ("evaluate", "--nothing")])
def test_wrong_usage_is_exit_2_with_a_word_on_stderr(
    planish: Planish, arguments: tuple[str, ...]
) -> None:
    done = planish(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "nothing" in done.stderr
