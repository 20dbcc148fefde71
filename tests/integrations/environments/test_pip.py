"""Why pip failed, from its own words: those of several versions of it."""

import sys
from pathlib import Path
from tempfile import TemporaryFile

import pytest

from planish.errors import SandboxError
from planish_integrations.environments import _pip
from planish_integrations.environments._pip import (
    InstallFailure,
    PipResult,
    install_failure,
    run_pip,
)

FETCH = "Could not fetch URL http://127.0.0.1:9/simple/foo/: "
NO_MATCH = "ERROR: No matching distribution found for foo"


@pytest.mark.parametrize(
    ("output", "kind", "names"),
    [
        (
            "ERROR: Could not find a version that satisfies the requirement foo>3 "
            "(from versions: 1.0, 2.0)\n" + NO_MATCH,
            "missing",
            ("foo",),
        ),
        (
            "ERROR: Could not find a version that satisfies the requirement lost>=3 (from mid) "
            "(from versions: none)\n" + NO_MATCH,
            "missing",
            ("lost", "mid"),
        ),
        (
            f"{FETCH}404 Client Error: Not Found for url: http://127.0.0.1:9/ - skipping\n"
            "ERROR: Could not find a version that satisfies the requirement foo "
            "(from versions: none)\n" + NO_MATCH,
            "missing",
            ("foo",),
        ),
        (
            f"{FETCH}connection error: HTTPConnectionPool(host='127.0.0.1', port=9): Max retries "
            "exceeded with url: /simple/foo/ - skipping\n"
            "ERROR: Could not find a version that satisfies the requirement foo "
            "(from versions: none)\n" + NO_MATCH,
            "unreachable",
            (),
        ),
        (f"{FETCH}401 Client Error: Unauthorized for url - skipping\n{NO_MATCH}", "refused", ()),
        (f"{FETCH}403 Client Error: Forbidden for url - skipping\n{NO_MATCH}", "refused", ()),
        (f"{FETCH}503 Server Error: Unavailable for url - skipping\n{NO_MATCH}", "unreachable", ()),
        ("ERROR: HTTP error 503 while getting http://127.0.0.1/a.whl", "unreachable", ()),
        (
            (
                "ERROR: Cannot install a==1, b and c==2 because these package versions have "
                "conflicting dependencies.\nERROR: ResolutionImpossible: for help visit"
            ),
            "conflict",
            ("a", "b", "c"),
        ),
        (
            (
                "ERROR: Cannot install a, b==1.0 and c==1.0 because these package versions have "
                "conflicting dependencies.\n    b 1.0 depends on a<2\n    c 1.0 depends on a>=2"
            ),
            "conflict",
            ("b", "c"),
        ),
        ("ERROR: Wheel 'Some_Thing' located at /a.whl is invalid.", "broken", ("some-thing",)),
        (
            "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.",
            "broken",
            (),
        ),
        (
            (
                "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on "
                "device"
            ),
            "host",
            (),
        ),
        ("ERROR: planish: this Python has no pip", "host", ()),
        ("Traceback\nValueError: what nobody knows", "host", ()),
        ("", "host", ()),
    ],
)
def test_failures_are_classified(output: str, kind: str, names: tuple[str, ...]) -> None:
    found = install_failure(pip_result(output, 1))
    assert found is not None
    assert (found.kind, found.names) == (kind, names)
    assert found.text


def test_a_warning_that_pip_recovered_from_is_no_failure() -> None:
    warning = "WARNING: Retrying (Retry(total=0)) after connection broken by 'ReadTimeoutError'"
    assert install_failure(pip_result(warning, 0)) is None
    missing = f"{warning}\nERROR: Could not find a version that satisfies the requirement foo (from"
    found = install_failure(pip_result(missing, 1))
    assert found is not None
    assert found.kind == "missing"


@pytest.mark.parametrize(
    "line",
    [
        *("HTTP error 502", "Max retries exceeded", "ERROR: timed out", "ERROR: Timed out"),
        *("Connection broken", "ERROR: IncompleteRead(3)", "ERROR: ConnectionResetError"),
        *("ERROR: ConnectionRefusedError", "ERROR: ConnectionAbortedError"),
        *("ERROR: ProtocolError", "ERROR: NewConnectionError", "ERROR: NameResolutionError"),
        f"{FETCH}what else",
    ],
)
def test_an_index_that_is_not_reached_is_told_by_the_error(line: str) -> None:
    found = install_failure(pip_result(f"ERROR: {line}", 1))
    assert found == InstallFailure("unreachable", (), f"ERROR: {line}")


@pytest.mark.parametrize("number", ["ENOSPC", "28", "122", "13", "30", "12"])
def test_a_full_or_closed_disk_is_of_this_machine_before_all(number: str) -> None:
    line = f"ERROR: Could not install packages due to an OSError: [Errno {number}] no"
    found = install_failure(pip_result(f"{FETCH}503 Server Error\n{line}", 1))
    assert found == InstallFailure("host", (), line)


@pytest.mark.parametrize("status", [401, 403])
def test_refused_credentials_are_told_by_the_status(status: int) -> None:
    for line in (f"ERROR: {status} Client Error: x", f"ERROR: HTTP error {status} while getting"):
        assert install_failure(pip_result(line, 1)) == InstallFailure("refused", (), line)


def test_a_page_that_is_not_there_is_no_failure_of_the_index() -> None:
    for status in (404, 410):
        found = install_failure(pip_result(f"{FETCH}{status} Client Error\n{NO_MATCH}", 1))
        assert found == InstallFailure("host", (), NO_MATCH)


@pytest.mark.parametrize(
    ("line", "names", "text"),
    [
        ("ERROR: Wheel 'a' located at /b.whl is invalid.", ("a",), "the file of a is invalid"),
        ("ERROR: a_b has an invalid wheel, x", ("a-b",), "the file of a-b is invalid"),
        ("ERROR: x: a has an invalid wheel", ("a",), "the file of a is invalid"),
        (
            "ERROR: Requested a>1 from /b has inconsistent",
            ("a",),
            "the file of a is invalid",
        ),
        ("ERROR: Requested a from /b has invalid metadata", ("a",), "the file of a is invalid"),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES", (), "the file of one is invalid"),
    ],
)
def test_a_broken_file_is_named_without_a_path(
    line: str, names: tuple[str, ...], text: str
) -> None:
    assert install_failure(pip_result(line, 1)) == InstallFailure("broken", names, text)


def test_the_text_of_a_conflict_has_five_reasons_each_once() -> None:
    conflict = (
        "Cannot install a and b because these package versions have conflicting dependencies."
    )
    reasons = [f"    b {n} depends on a<{n}" for n in (1, 2, 2, 3, 4, 5, 6)]
    noise = ["ERROR: The user requested a", "ERROR: unrelated"]
    found = install_failure(pip_result("\n".join([f"ERROR: {conflict}", *reasons, *noise]), 1))
    assert found is not None
    assert found.names == ("b",)
    assert found.text.split("; ") == [conflict, *(f"b {n} depends on a<{n}" for n in (1, 2, 3, 4))]
    asked = install_failure(pip_result(f"ERROR: {conflict}\nThe user requested a", 1))
    assert asked == InstallFailure("conflict", ("a", "b"), f"{conflict}; The user requested a")


def test_a_failure_of_no_known_kind_has_the_last_error_or_line() -> None:
    def text(output: str) -> str:
        found = install_failure(pip_result(output, 3))
        assert found is not None
        assert (found.kind, found.names) == ("host", ())
        return found.text

    assert text("ERROR: first\nERROR: last\nTypeError: x") == "ERROR: last"
    assert text("TypeError: x\nValueError: y") == "ValueError: y"
    assert text("Collecting plain") == "pip ended with status 3 and no output"


def test_a_run_that_was_stopped_is_of_this_machine() -> None:
    result = pip_result("ERROR: Wheel 'a' located at", 1)
    result.code = None
    assert install_failure(result) == InstallFailure(
        "host", (), "the installation took too long and was stopped"
    )


@pytest.mark.parametrize(
    "line",
    [
        *("ERROR", "Could not find", "HTTP error", "[Errno 1]", "timed out", "Timed out"),
        *("connection x", "Connection x", "a is invalid", "a depends on b", "a requested b"),
        *("ValueError: x", "WARNING: Retrying", "THESE DO NOT MATCH"),
    ],
)
def test_lines_that_explain_a_failure_are_recorded(line: str) -> None:
    assert list(pip_result(f" {line}\nCollecting a\n  Downloading", 1).lines) == [line]


def test_what_pip_says_is_kept_within_bounds() -> None:
    lines = [f"ERROR: {number} " + "x" * 2000 for number in range(300)]
    found = [*pip_result("\n".join(lines), 1).lines]
    assert found == [line[:1000] for line in lines[-200:]]


@pytest.mark.anyio
async def test_a_last_line_without_an_end_is_read_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What ends pip in the middle of a line says why."""
    runner = tmp_path / "runner.py"
    runner.write_text("import os\nos.write(1, b'Collecting a\\nERROR: 1\\nERROR: 2')\nos._exit(1)")
    monkeypatch.setattr(_pip, "_RUNNER", str(runner))
    with TemporaryFile() as lock:
        result = await run_pip(["install"], {}, lock.fileno(), 60.0)
    assert (result.code, [*result.lines]) == (1, ["ERROR: 1", "ERROR: 2"])


@pytest.mark.anyio
async def test_pip_that_cannot_be_started_is_an_error_of_the_sandbox(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    with TemporaryFile() as lock, pytest.raises(SandboxError, match="pip could not be started"):
        await run_pip(["install"], {}, lock.fileno(), 60.0)


def pip_result(output: str, code: int) -> PipResult:
    result = PipResult()
    for line in output.split("\n"):
        result.add(line.encode())
    result.code = code
    return result
