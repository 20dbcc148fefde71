"""The command line itself: what it lists, loads and says."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

import planish as library
from planish_integrations.cli._main import COMMANDS, Commands

Planish = Callable[..., "subprocess.CompletedProcess[str]"]


def loaded(name: str) -> click.Command:
    command = Commands(name="planish").get_command(click.Context(click.Command("planish")), name)
    assert command is not None
    return command


def test_help_lists_every_command(planish: Planish) -> None:
    done = planish("--help")
    assert (done.returncode, done.stderr) == (0, "")
    _, heading, listed = done.stdout.partition("\nCommands:\n")
    assert heading
    assert [line.split(maxsplit=1) for line in listed.splitlines()] == [
        [name, entry.summary] for name, entry in COMMANDS.items()
    ]


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
    command = loaded(name)
    assert command.name == name
    (found,) = (one for one in command.params if option in one.opts)
    assert found.get_default(click.Context(command)) == default


def parsed(name: str, *arguments: str) -> dict[str, Any]:
    return loaded(name).make_context(name, [*arguments]).params


def test_every_option_of_a_program_reaches_it() -> None:
    assert parsed("exec", "a.py") == {
        "file": Path("a.py"),
        **dict.fromkeys(("stdin", "outputs", "tier", "language")),
        **dict.fromkeys(("args", "files", "packages", "require"), ()),
        "timeout": 30.0,
        "memory": 2048,
        "network": "none",
        "as_json": False,
    }
    options = "--stdin - --file b --file c --outputs d --timeout 2 --memory 9 --package e"
    more = "--package f --tier landlock --require cpu --require files --language g --json"
    found = parsed("exec", *options.split(), *more.split(), "-", "x", "--", "--json", "-")
    assert found == {
        "file": Path("-"),
        "args": ("x", "--json", "-"),
        "stdin": Path("-"),
        "files": (Path("b"), Path("c")),
        "outputs": Path("d"),
        "timeout": 2.0,
        "memory": 9,
        "network": "none",
        "packages": ("e", "f"),
        "tier": "landlock",
        "require": ("cpu", "files"),
        "language": "g",
        "as_json": True,
    }


def test_every_option_of_an_evaluation_reaches_it() -> None:
    names = ("tasks", "replay", "source", "run", "attempts", "gate", "model", "limit", "json_file")
    expected = {**dict.fromkeys(names), "concurrency": os.cpu_count(), "timeout": 6.0}
    assert parsed("evaluate") == expected
    options = "--replay a --source b --run c --attempts 1 --concurrency 1 --gate visible"
    more = "--model d --limit 1 --timeout 86400 --json -"
    found = parsed("evaluate", *options.split(), *more.split(), "t")
    assert found == {
        "tasks": Path("t"),
        "replay": Path("a"),
        "source": "b",
        "run": "c",
        "attempts": 1,
        "concurrency": 1,
        "gate": "visible",
        "model": "d",
        "limit": 1,
        "timeout": 86_400.0,
        "json_file": Path("-"),
    }


@pytest.mark.parametrize(
    "arguments",
    [
        *("--attempts 0", "--concurrency 0", "--limit 0", "--timeout 0", "--timeout 86400.1"),
        *("--timeout nan", "--gate none", "--json /"),
    ],
)
def test_an_option_out_of_its_range_is_refused(arguments: str) -> None:
    with pytest.raises(click.BadParameter) as caught:
        parsed("evaluate", "t", *arguments.split())
    assert arguments.split(maxsplit=1)[0] in caught.value.format_message()


@pytest.mark.parametrize("name", COMMANDS)
def test_help_shows_each_default(name: str) -> None:
    context = loaded(name).make_context(name, ["a"], resilient_parsing=True)
    shown = " ".join(context.get_help().split())
    stated = {
        "exec": ("[default: 30.0]", "[default: 2048]", "[default: none]"),
        "evaluate": ("[default: 6.0; 0<x<=86400]",),
    }
    for default in stated.get(name, ()):
        assert default in shown


@pytest.mark.parametrize(
    ("name", "options"),
    [
        (
            "exec",
            (
                "--stdin F, --file F, --outputs DIR, --timeout S, --memory MB, --network [none], "
                "--package P, --tier [namespaces|bubblewrap|landlock], --require G, --language L"
            ),
        ),
        (
            "evaluate",
            (
                "--replay DIR, --source S, --run R, --attempts N, --concurrency N, "
                "--gate [full|visible], --model M, --limit N, --timeout S, --json FILE|-"
            ),
        ),
    ],
)
def test_help_names_the_value_of_each_option(name: str, options: str) -> None:
    command = loaded(name)
    context = click.Context(command, info_name=name)
    records = [one.get_help_record(context) for one in command.params]
    shown = [record[0] for record in records if record is not None and " " in record[0]]
    assert shown == options.split(", ")


@pytest.mark.parametrize(
    ("name", "page"), [("exec", "cli"), ("doctor", "cli"), ("evaluate", "evaluate")]
)
def test_the_page_names_every_option(name: str, page: str) -> None:
    path = Path(__file__).parents[3] / "docs" / f"{page}.md"
    listed = {*re.findall(r"--[\w-]+", path.read_text(encoding="utf-8"))}
    options = [option for one in loaded(name).params for option in one.opts]
    assert sorted({option for option in options if option.startswith("--")} - listed) == []


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


def test_a_mistyped_command_gets_the_name_of_a_similar_one(planish: Planish) -> None:
    assert "No such command 'eval'. Did you mean 'evaluate'?" in planish("eval").stderr
    assert "Did you mean" not in planish("xyz").stderr
