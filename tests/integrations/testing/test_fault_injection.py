"""What each fault makes of an answer, before it is sent."""

from datetime import timedelta
from email.utils import parsedate_to_datetime
from typing import Any

import pytest

from planish_integrations.testing import Fault, RetryForm, recorded_answers
from planish_integrations.testing._answer import Answer, Delivery
from planish_integrations.testing._fault_injection import error_answer, inject_fault
from planish_integrations.testing._gemini import Gemini
from planish_integrations.testing._openai import ChatCompletions

PIECES = (b'data: {"a": 1}\n\n', b'data: {"b": 2}\n\n', b"data: end\n\n")
STREAM = Answer(pieces=PIECES, stream=True)
WHOLE = Answer(pieces=(b'{"a": {"b": 1}}',))
SIZE = len(STREAM.body)


def delivered(answer: Answer, fault: Fault) -> Delivery:
    return inject_fault(answer, fault, ChatCompletions())


@pytest.mark.parametrize(
    ("fault", "fields"),
    [
        (Fault.dropped(), {"stop": -1, "end": "reset"}),
        (Fault.reset(), {"stop": SIZE // 2, "end": "reset"}),
        (Fault.reset(3), {"stop": 3, "end": "reset"}),
        (Fault.closed(3), {"stop": 3, "end": "close"}),
        (Fault.closed(10_000), {"stop": SIZE, "end": "close"}),
        (Fault.stalled(3), {"stop": 3, "end": "hang"}),
        (Fault.truncated(3), {"declared": SIZE, "stop": 3, "end": "close"}),
        (Fault.truncated(10_000), {"declared": SIZE, "stop": SIZE - 1, "end": "close"}),
        (Fault.slow(), {"delay": None}),
    ],
)
def test_a_connection_ends_where_the_fault_says(fault: Fault, fields: dict[str, Any]) -> None:
    assert delivered(STREAM, fault) == Delivery(answer=STREAM, correct=False, **fields)


def test_a_delay_leaves_the_answer_correct() -> None:
    assert delivered(STREAM, Fault.slow(2.5)) == Delivery(answer=STREAM, delay=2.5)
    paused = delivered(STREAM, Fault.stalled(3, seconds=0.5))
    assert paused == Delivery(answer=STREAM, stop=3, pause=0.5)
    assert [Fault.slow(1).harmless, Fault.slow().harmless, Fault.reset().harmless] == [
        *(True, False, False)
    ]


def pieces(answer: Answer, fault: Fault) -> tuple[bytes, ...]:
    delivery = delivered(answer, fault)
    assert not delivery.correct
    assert (delivery.stop, delivery.end, delivery.declared) == (None, "finish", None)
    return delivery.answer.pieces


def test_an_early_end_is_at_a_byte_or_before_the_last_event() -> None:
    assert pieces(STREAM, Fault.ended()) == PIECES[:2]
    assert pieces(Answer(pieces=PIECES[:2], stream=True), Fault.ended()) == PIECES[:1]
    assert pieces(WHOLE, Fault.ended()) == (WHOLE.body[: len(WHOLE.body) // 2],)
    assert pieces(STREAM, Fault.ended(3)) == (PIECES[0][:3],)
    first = len(PIECES[0])
    assert pieces(STREAM, Fault.ended(first)) == PIECES[:1]
    assert pieces(STREAM, Fault.ended(first + 1)) == (PIECES[0], PIECES[1][:1])
    assert pieces(STREAM, Fault.ended(0)) == ()


def test_half_a_character_is_that_of_the_text_or_one_put_in() -> None:
    accented = Answer(pieces=(b"ab", "é!".encode()))
    assert pieces(accented, Fault.half_character()) == (b"ab" + "é".encode()[:1],)
    half = WHOLE.body[: len(WHOLE.body) // 2] + "é".encode()[:1]
    assert pieces(WHOLE, Fault.half_character()) == (half,)


def test_one_brace_is_removed_from_the_event_in_the_middle() -> None:
    assert pieces(STREAM, Fault.malformed()) == (PIECES[0], b'data: {"b": 2\n\n', PIECES[2])
    assert pieces(WHOLE, Fault.malformed()) == (b'{"a": {"b": 1}',)


def test_a_page_stands_for_the_answer_with_another_type() -> None:
    delivery = delivered(STREAM, Fault.mistyped("text/plain"))
    assert delivery.answer.headers["content-type"] == "text/plain"
    assert b"<html>" in delivery.answer.body
    assert not delivery.answer.stream


def test_the_event_in_the_middle_comes_twice() -> None:
    twice = (PIECES[0], PIECES[1], PIECES[1], PIECES[2])
    assert pieces(STREAM, Fault.duplicated()) == twice
    assert delivered(WHOLE, Fault.duplicated()) == Delivery(answer=WHOLE)


def test_an_error_event_stands_in_place_of_the_rest() -> None:
    event = ChatCompletions().error_event(529, "Overloaded")
    assert pieces(STREAM, Fault.error_event()) == (event,)
    assert pieces(STREAM, Fault.error_event(after=2)) == (*PIECES[:2], event)
    assert pieces(STREAM, Fault.error_event(after=None)) == (PIECES[0], event)
    (body,) = pieces(WHOLE, Fault.error_event(500, "no"))
    assert body.startswith(b'{"error":{"message":"no"')


@pytest.mark.parametrize(
    ("status", "message"),
    [
        *((400, "The request is not valid."), (401, "The key is not valid.")),
        *((403, "The key may not do this."), (404, "The model does not exist.")),
        *((429, "Rate limit reached."), (500, "Internal error.")),
        *((503, "The model is overloaded."), (529, "Overloaded")),
    ],
)
def test_an_error_has_a_message_for_its_status(status: int, message: str) -> None:
    answer = error_answer(ChatCompletions(), Fault.error(status))
    assert answer.status == status
    assert f'"message":"{message}"'.encode() in answer.body
    assert answer.headers == {
        "content-type": "application/json",
        "x-request-id": f"req_{status}",
    }
    own = error_answer(ChatCompletions(), Fault.error(status, "own"))
    assert b'"message":"own"' in own.body


def limited(form: RetryForm, seconds: float) -> tuple[dict[str, str], str]:
    answer = error_answer(Gemini(), Fault.rate_limit(seconds, form=form))
    assert answer.status == 429
    known = ("content-type", "x-request-id")
    return {k: v for k, v in answer.headers.items() if k not in known}, answer.body.decode()


def test_a_rate_limit_says_how_long_in_each_form() -> None:
    assert limited("none", 2)[0] == {}
    assert limited("seconds", 1.5)[0] == {"retry-after": "2"}
    assert limited("milliseconds", 1.5)[0] == {"retry-after-ms": "1500"}
    assert "Rate limit reached. Please try again in 1.5s." in limited("words", 1.5)[1]
    assert '"retryDelay":"1.5s"' in limited("retry_info", 1.5)[1]
    assert "google.rpc.RetryInfo" in limited("retry_info", 1.5)[1]
    headers, _ = limited("date", 1.5)
    dates = [parsedate_to_datetime(headers[name]) for name in ("date", "retry-after")]
    assert dates[1] - dates[0] == timedelta(seconds=2)


def test_a_recorded_answer_is_as_it_was_without_the_framing() -> None:
    headers = {"Content-Type": "text/event-stream", "X-A": "1", "Content-Length": "9"}
    framing = {"Connection": "x", "Content-Encoding": "gzip", "Transfer-Encoding": "chunked"}
    (stream,) = recorded_answers(
        [{"status": 201, "resp_headers": headers | framing, "body_sse": "data: 1\n\ndata: 2"}]
    )
    assert stream == Answer(
        pieces=(b"data: 1\n\n", b"data: 2"),
        status=201,
        headers={"content-type": "text/event-stream", "x-a": "1"},
        stream=True,
    )
    rows: list[dict[str, Any]] = [
        {"response_json": {"a": 1}, "api": "x"},
        {"body": [1], "headers": {"a": "b"}, "stream": True, "api": "y"},
        {"response_text": "{}\n{}", "content_type": "application/x-ndjson", "api": "x"},
    ]
    plain, listed, lines = recorded_answers(rows)
    assert plain == Answer(pieces=(b'{"a": 1}',))
    kind = {"a": "b", "content-type": "application/json"}
    assert listed == Answer(pieces=(b"[1]",), headers=kind, stream=True)
    assert lines.pieces == (b"{}\n", b"{}")
    assert recorded_answers(rows, api="x") == [plain, lines]
    with pytest.raises(ValueError, match=r"without a body: \['status'\]"):
        recorded_answers([{"status": 200}])


def test_a_fault_is_shown_by_what_differs() -> None:
    assert repr(Fault.slow(2)) == "Fault(kind='slow', seconds=2)"
    assert repr(Fault.error(503)) == "Fault(kind='error', status=503)"
    assert repr(Fault.mistyped()) == "Fault(kind='mistyped')"
