"""Why pip failed, from its own words: those of several versions of it."""

import pytest

from planish_integrations.environments._pip import PipResult, install_failure

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


def test_what_pip_says_is_kept_within_bounds() -> None:
    result = pip_result("ERROR: long " + "x" * 100_000 + "\n" + "ERROR: again\n" * 100_000, 1)
    assert sum(map(len, result.lines)) < 250_000


def pip_result(output: str, code: int) -> PipResult:
    result = PipResult()
    for line in output.split("\n"):
        result.add(line.encode())
    result.code = code
    return result
