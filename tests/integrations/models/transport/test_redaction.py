"""What is replaced in a text, and what is not."""

import gc
import logging
import re
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planish_integrations.models.transport._redaction import MIN_LENGTH, Redactor

KEY = "sk-/a+b=c d'e\"f\\g&h:i@j"


@pytest.mark.parametrize(
    "text",
    [
        KEY,
        KEY.upper(),
        "sk-%2Fa%2Bb%3Dc%20d%27e%22f%5Cg%26h%3Ai%40j",
        "sk-%2fa%2bb%3dc+d%27e%22f%5cg%26h%3ai%40j",
        "sk-\\/a+b=c d'e\\\"f\\\\g\\u0026h:i@j",
        "sk-/a+b=c d&#x27;e&quot;f\\g&amp;h:i@j",
        repr(KEY)[1:-1],
        repr(KEY.encode())[2:-1],
    ],
)
def test_a_secret_is_replaced_in_each_form(text: str) -> None:
    assert Redactor([KEY]).redact(f"<{text}>") == "<***>"


@pytest.mark.parametrize(
    ("header", "part"),
    [
        ("Bearer 0123456789", "0123456789"),
        ("Basic dXNlcm5hbWU6MDEyMzQ1Njc4OQ==", "0123456789"),
        ("Basic dXNlcm5hbWU6MDEyMzQ1Njc4OQ==", "username"),
        ("a=1; session=0123456789; b=2", "0123456789"),
    ],
)
def test_the_parts_of_a_header_are_replaced(header: str, part: str) -> None:
    redactor = Redactor()
    redactor.add(header)
    assert redactor.redact(f"<{part}> <{header}>") == "<***> <***>"


def test_the_beginning_of_a_secret_is_replaced_where_a_text_was_cut() -> None:
    for length in range(MIN_LENGTH, 16):
        assert Redactor(["0123456789abcdef"]).redact("x0123456789abcdef"[: length + 1]) == "x***"


@given(st.text(max_size=MIN_LENGTH - 1), st.text())
def test_a_short_secret_is_not_replaced(secret: str, text: str) -> None:
    assert Redactor([secret]).redact(text + secret) == text + secret


@given(st.text(min_size=MIN_LENGTH, max_size=40).map(str.strip), st.text(), st.text())
def test_no_secret_remains_in_any_text(secret: str, before: str, after: str) -> None:
    redacted = Redactor([secret]).redact(before + secret + after)
    if len(secret) >= MIN_LENGTH and "***" not in secret:
        assert secret.lower() not in redacted.replace("***", "\0").lower()


def test_tokens_that_expired_are_forgotten_and_the_key_is_not() -> None:
    redactor = Redactor(["the-fixed-key"])
    for number in range(200):
        redactor.add(f"{number:08}-token")
    assert redactor.redact("the-fixed-key 00000199-token") == "*** ***"
    assert len(redactor.secrets) < 100


def loggers_of_http() -> set[str]:
    """Return the names of all loggers that the installed httpx, httpcore, h2 and hpack ask for."""
    names: set[str] = set()
    for package in ("httpx", "httpcore", "h2", "hpack", "hyperframe", "h11"):
        spec = find_spec(package)
        assert spec is not None
        assert spec.origin is not None
        folder = Path(spec.origin).parent
        for file in folder.rglob("*.py"):
            module = ".".join((package, *file.relative_to(folder).with_suffix("").parts))
            named = re.findall(r"getLogger\((.*?)\)", file.read_text(encoding="utf-8"))
            names |= {module if one == "__name__" else one.strip("\"'") for one in named}
    return names


def test_records_are_redacted_while_the_model_lives(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    redactor = Redactor(["only-in-this-test"])
    names = loggers_of_http()
    assert {"httpx", "httpcore.http2", "httpcore.socks", "hpack.hpack", "hpack.table"} <= names
    for name in names:
        logging.getLogger(name).debug("sent %r", "ONLY-in-this-test")
    assert caplog.messages == ["sent '***'"] * len(names)
    logging.getLogger("httpx").debug("nothing %s in it", "secret")
    assert caplog.messages[-1] == "nothing secret in it"
    logging.getLogger("another").debug("only-in-this-test")
    assert caplog.messages[-1] == "only-in-this-test"
    del redactor
    gc.collect()
    Redactor(["another-model-now"])
    logging.getLogger("httpx").debug("only-in-this-test")
    assert caplog.messages[-1] == "only-in-this-test"
