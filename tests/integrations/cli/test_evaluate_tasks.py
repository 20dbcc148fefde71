"""`planish evaluate TASKS`, in a process of its own, with real programs."""

import json
import socket
import subprocess
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from tests.integrations.evaluation.small import ADD, GOOD, HALF, HUMANEVAL, Rows
from tests.integrations.models.openai.loopback import Loopback, completion, error_response

from planish import __version__

Planish = Callable[..., "subprocess.CompletedProcess[str]"]
Write = Callable[[str, Rows], Path]

WITHOUT = {**ADD, "task_id": "Small/none", "canonical": None, "visible_tests": None}


@pytest.fixture
def server() -> Iterator[Loopback]:
    with Loopback() as loopback:
        yield loopback
        assert not loopback.troubles


def figures(done: "subprocess.CompletedProcess[str]") -> dict[str, Any]:
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("name", ["t.jsonl", "t.jsonl.gz"])
@pytest.mark.parametrize(("model", "solved"), [("canonical", 1), ("pass", 0)])
def test_the_offline_models_are_measured(
    planish: Planish, write: Write, name: str, model: str, solved: int
) -> None:
    done = planish("evaluate", write(name, [HUMANEVAL]), "--model", model)
    assert done.returncode == 0, done.stderr
    assert f"\nsolved       {solved}/1\n" in done.stdout
    first, last = done.stderr.splitlines()
    assert first.startswith(f"planish: 1 task, model {model} of ")
    assert first.endswith(" at once, in the local sandbox")
    assert "1/1 tasks" in last


def test_the_table_names_the_tests_that_were_run(planish: Planish, write: Write) -> None:
    row = {**HUMANEVAL, "base_input": [[4]], "plus_input": [[9], [0]], "atol": 0}
    part = {key: value for key, value in row.items() if key != "plus_input"}
    tasks = write("t.jsonl.gz", [row, HUMANEVAL, part])
    done = planish("evaluate", tasks, "--model", "canonical")
    assert done.returncode == 0, done.stderr
    assert "HumanEval+, 1 tasks: base_input 1, plus_input 2\n" in done.stdout
    assert "HumanEval, 1 tasks: test 1\n" in done.stdout
    assert "solved       2/2\n" in done.stdout
    assert "1 skipped, first line 3: its plus_input is missing" in done.stderr
    assert figures(planish("evaluate", tasks, "--model", "pass", "--json", "-"))["benchmarks"] == {
        "HumanEval+": {"tasks": 1, "tests": {"base_input": 1, "plus_input": 2}},
        "HumanEval": {"tasks": 1, "tests": {"test": 1}},
    }


@pytest.mark.parametrize(("model", "solved"), [("canonical", 1), ("pass", 0)])
def test_a_contest_is_gated_by_its_public_tests(
    planish: Planish, write: Write, model: str, solved: int
) -> None:
    row: dict[str, Any] = {
        "name": "double",
        "description": "Print twice the number.",
        "public_tests": {"input": ["1"], "output": ["2"]},
        "private_tests": {"input": ["5"], "output": ["10"]},
        "generated_tests": {"input": [], "output": []},
        "solutions": {"language": [3], "solution": ["print(2 * int(input()))"]},
    }
    tasks = write("t.jsonl", [row])
    found = figures(
        planish("evaluate", tasks, "--model", model, "--gate", "visible", "--json", "-")
    )
    assert (found["solved"], found["visible"]["accepted"]) == (solved, solved)
    assert found["benchmarks"]["CodeContests"]["tests"] == {
        "public_tests": 1,
        "private_tests": 1,
        "generated_tests": 0,
    }


def test_the_gate_is_full_if_a_task_has_no_visible_tests(planish: Planish, write: Write) -> None:
    tasks = write("t", [ADD, WITHOUT])
    found = figures(planish("evaluate", tasks, "--model", "pass", "--json", "-"))
    assert (found["gate"], found["tasks"], found["solved"]) == ("full", 2, 0)


def test_the_figures_by_attempt_go_up_to_the_most_allowed(planish: Planish, write: Write) -> None:
    command = ("evaluate", write("t", [ADD]), "--model", "canonical", "--json", "-")
    found = figures(planish(*command, "--attempts", "2"))
    assert found["attempts_histogram"] == {"1": 1}
    assert found["solved_within_k"] == [1, 1]
    assert found["success_at"] == {"1": 100.0, "2": 100.0}


def test_json_on_standard_output_is_alone_there(planish: Planish, write: Write) -> None:
    tasks = write("t", [ADD])
    found = figures(planish("evaluate", tasks, "--model", "pass", "--json", "-"))
    assert found["planish"] == __version__
    assert found["tasks_sha256"] == sha256(tasks.read_bytes()).hexdigest()
    assert (found["model"], found["gate"], found["max_attempts"]) == ("pass", "visible", 3)
    assert found["solved_within_k"] == [0, 0, 0]
    (row,) = found["results"]
    assert row["id"] == "Small/add"
    assert (row["passed"], row["stop_reason"], row["scores"]) == (False, "max_attempts", [0.0] * 3)
    assert row["usage"]["model_calls"] == 3
    assert row["code"].startswith("def add(")
    assert "expected" in row["failure"]


def test_json_goes_to_a_file_and_the_table_to_people(
    planish: Planish, write: Write, tmp_path: Path
) -> None:
    out = tmp_path / "out.json"
    out.write_text("what was there before")
    done = planish("evaluate", write("t", [ADD]), "--model", "canonical", "--json", out)
    assert json.loads(out.read_text())["solved"] == 1
    assert "success@k    1: 100.0 %" in done.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.json", "t"]


def test_the_first_n_tasks_and_what_is_left_out(planish: Planish, write: Write) -> None:
    tasks = write("t", [WITHOUT, ADD, {**ADD, "task_id": "Small/3"}, {"odd": 1}])
    done = planish("evaluate", tasks, "--model", "canonical", "--limit", 2, "--json", "-")
    found = figures(done)
    assert [row["id"] for row in found["results"]] == ["Small/add"]
    assert [(skip["reason"], skip["rows"]) for skip in found["skipped"]] == [
        ("is not a task: it lacks a prompt, an id or tests", 1),
        ("it has no canonical solution", 1),
    ]
    assert "planish: 1 skipped, first Small/none: it has no canonical solution" in done.stderr


def test_the_visible_gate_shows_its_tests_and_the_others_judge(
    planish: Planish, write: Write, server: Loopback
) -> None:
    server.answers += [completion("Sorry."), completion(f"```python\n{HALF}```")]
    found = figures(
        planish(
            *("evaluate", write("t", [ADD, WITHOUT]), "--gate", "visible", "--json", "-"),
            *("--model", "openai:m", "--attempts", 4),
            OPENAI_BASE_URL=server.url,
            OPENAI_API_KEY="sk-1",
        )
    )
    first, second = (request.json["messages"] for request in server.requests)
    assert "assert add(1, 1) == 2" in first[-1]["content"]
    assert "f(2, 3) == 5" not in json.dumps([first, second])
    assert found["visible"] == {
        "accepted": 1,
        "accepted_but_hidden_fail": 1,
        "accepted_and_hidden_pass": 0,
    }
    assert (found["solved"], found["by_status"]) == (0, {"partial_success": 1})
    assert [skip["reason"] for skip in found["skipped"]] == ["it has no visible tests"]
    assert (found["usage"]["input_tokens"], found["usage"]["output_tokens"]) == (14, 6)


def test_a_model_of_the_environment_is_measured(
    planish: Planish, write: Write, server: Loopback
) -> None:
    server.answers.append(completion(f"```python\n{GOOD}```"))
    done = planish(
        *("evaluate", write("t", [ADD])),
        OPENAI_BASE_URL=server.url,
        OPENAI_API_KEY="sk-1",
        OPENAI_MODEL="mine",
    )
    assert server.requests[0].json["model"] == "mine"
    assert "solved       1/1\n" in done.stdout
    assert "check(" not in server.requests[0].body.decode()


def test_one_failed_task_is_exit_1_and_the_others_are_reported(
    planish: Planish, write: Write, server: Loopback
) -> None:
    server.answers += [completion(f"```python\n{GOOD}```"), error_response(400, "too long")]
    done = planish(
        *("evaluate", write("t", [ADD, {**ADD, "task_id": "Small/2"}]), "--json", "-"),
        *("--model", "openai:m", "--concurrency", 1),
        OPENAI_BASE_URL=server.url,
        OPENAI_API_KEY="sk-1",
    )
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert (found["solved"], found["errors"]) == (1, 1)
    assert "too long" in found["results"][1]["error"]


@pytest.mark.parametrize("status", [401, 404])
def test_a_refused_key_and_an_unknown_model_end_it_in_a_line(
    planish: Planish, write: Write, server: Loopback, status: int
) -> None:
    server.otherwise = lambda _: error_response(status, "no such thing")
    done = planish(
        *("evaluate", write("t", [ADD] * 9), "--model", "openai:m", "--concurrency", 1),
        OPENAI_BASE_URL=server.url,
        OPENAI_API_KEY="sk-1",
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "planish: error: " in done.stderr
    assert "no such thing" in done.stderr
    assert len(server.requests) <= 2


def test_a_server_that_does_not_run_is_named_in_a_line(planish: Planish, write: Write) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        host = f"127.0.0.1:{unused.getsockname()[1]}"
    done = planish("evaluate", write("t", [ADD]), "--model", "ollama:m", OLLAMA_HOST=host)
    assert done.returncode == 1
    assert "not judged   1 of 1 tasks" in done.stdout
    (line,) = (one for one in done.stderr.splitlines() if "ended in an error" in one)
    assert line.startswith(f"planish: 1 of 1 tasks ended in an error, first {ADD['task_id']}: Over")
    assert line.endswith("nothing listens there; is the server running?")


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        ([], "give either TASKS or --replay DIR"),
        (["t", "--replay", "."], "give either TASKS or --replay DIR"),
        (["t", "--source", "s"], "--source requires --replay"),
        (["t", "--run", "r"], "--run requires --replay"),
        (["t", "--attempts", "0"], "--attempts"),
        (["t", "--concurrency", "0"], "--concurrency"),
        (["t", "--timeout", "0"], "--timeout"),
        (["t", "--gate", "half"], "--gate"),
        (["t", "--model", "pass", "--json", "none/x.json"], "--json none/x.json: there is no"),
        (["t", "--model", "pass", "--json", "."], "--json"),
        (["none"], "none: there is no such file"),
        (["t", "--model", "ollama:"], "names no model"),
        (["t", "--model", "openai:m"], "the model openai:m: set the environment variable OPENAI_"),
        (["t", "--model", "azure:m"], "set the environment variable AZURE_OPENAI_ENDPOINT"),
        (["t", "--model", "gpt-6.1-terra"], "openai:"),
        (["empty", "--model", "pass"], "empty: the file is empty"),
        (["odd", "--model", "pass"], "odd: no task can be used: the tests check nothing"),
    ],
)
def test_wrong_usage_is_exit_2_and_one_line(
    planish: Planish,
    write: Write,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    fault: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    write("t", [ADD])
    write("odd", [{**ADD, "test_suffix": "x = 1"}])
    write("empty", [])
    done = planish("evaluate", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert fault in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
    assert "=..." not in done.stderr  # no arguments of Python


def test_a_server_that_is_no_url_is_named(planish: Planish, write: Write) -> None:
    done = planish("evaluate", write("t", [ADD]), OPENAI_BASE_URL="nonsense", OPENAI_API_KEY="k")
    assert done.returncode == 2
    assert "nonsense" in done.stderr.splitlines()[-1]


def test_without_a_model_it_says_what_to_set(planish: Planish, write: Write) -> None:
    with socket.socket() as probe:
        if probe.connect_ex(("localhost", 11434)) == 0:
            pytest.skip("an Ollama is listening on this machine, and would be asked")
    done = planish("evaluate", write("t", [ADD]))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1] == (
        "Error: no model: set PLANISH_MODEL or the key of a provider, such as OPENAI_API_KEY, "
        "start Ollama, or use --model "
        "(canonical and pass need no network)"
    )


@pytest.mark.replay
@pytest.mark.parametrize(("model", "solved"), [("canonical", 164), ("pass", 0)])
def test_the_whole_of_humaneval(
    planish: Planish, shared_data: Callable[[str], Path], model: str, solved: int
) -> None:
    tasks = shared_data("humaneval/HumanEval.jsonl.gz")
    done = planish("evaluate", tasks, "--model", model, "--attempts", 1)
    assert done.returncode == 0, done.stderr
    assert f"\nsolved       {solved}/164\n" in done.stdout
