"""Messages between the processes of a session: whole, bounded, with descriptors beside them."""

import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from planish.guest.session.frames import Gone, hear, pack, read, receive, send, write

Pair = tuple[socket.socket, socket.socket]


@pytest.fixture
def pair() -> Iterator[Pair]:
    """Two ends of one socket."""
    one, other = socket.socketpair()
    with one, other:
        yield one, other


@pytest.mark.parametrize("message", [None, 7, "ä", {"a": [1, None]}, "x" * 3_000_000])
def test_a_message_comes_as_it_was_written(pair: Pair, message: Any) -> None:
    one, other = pair

    def act() -> None:
        write(one.fileno(), message)
        write(one.fileno(), "next")

    sending = threading.Thread(target=act)
    sending.start()
    assert read(other.fileno()) == message
    assert read(other.fileno()) == "next"
    sending.join()


def test_a_message_is_its_length_and_json() -> None:
    assert pack({"a": 1}) == (8).to_bytes(8, "big") + b'{"a": 1}'


@pytest.mark.parametrize("size", [0, 4, 8, 10])
def test_an_end_before_the_end_of_a_message_is_told_apart(pair: Pair, size: int) -> None:
    one, other = pair
    one.sendall(pack("message")[:size])
    one.close()
    with pytest.raises(Gone):
        read(other.fileno())


def test_a_message_that_is_too_long_is_refused(pair: Pair) -> None:
    one, other = pair
    for take in (lambda: read(other.fileno()), lambda: receive(other)):
        one.sendall(((1 << 30) + 1).to_bytes(8, "big") + b"{}")
        with pytest.raises(Gone):
            take()
        other.recv(100, socket.MSG_DONTWAIT)
    one.sendall(((64 << 20) + 1).to_bytes(8, "big"))
    with pytest.raises(Gone):
        hear(other, 5.0)


def test_to_send_to_an_end_that_is_closed_is_an_end(pair: Pair) -> None:
    one, other = pair
    other.close()
    with pytest.raises(Gone):
        write(one.fileno(), "x")
    with pytest.raises(Gone):
        send(one, "x")


@pytest.mark.parametrize("count", [0, 1, 3])
@pytest.mark.parametrize("size", [1, 2_000_000])
def test_descriptors_travel_beside_a_message(pair: Pair, count: int, size: int) -> None:
    one, other = pair
    ends = [os.pipe() for _ in range(count)]
    sending = threading.Thread(target=send, args=(one, "x" * size, [write for _, write in ends]))
    sending.start()
    message, numbers = receive(other)
    sending.join()
    assert (message, len(numbers)) == ("x" * size, count)
    for number, (reading, writing) in zip(numbers, ends, strict=True):
        assert number != writing
        os.write(number, b"here")
        assert os.read(reading, 10) == b"here"
        for one_of in (number, reading, writing):
            os.close(one_of)


def test_a_message_in_pieces_is_received(pair: Pair) -> None:
    one, other = pair
    data = pack(["message", 0])
    late = threading.Timer(0.02, one.sendall, (data[3:],))
    one.sendall(data[:3])
    late.start()
    assert receive(other) == ("message", [])
    late.join()
    one.close()
    with pytest.raises(Gone):
        receive(other)


def framed(text: str) -> bytes:
    body = text.encode()
    return len(body).to_bytes(8, "big") + body


def test_whoever_is_not_trusted_is_heard_where_all_is_well(pair: Pair) -> None:
    one, other = pair
    send(one, {"a": 1})
    assert hear(other, 5.0) == {"a": 1}
    one.sendall(framed(json.dumps([{"b": "x" * 100_000}, 0])))
    assert hear(other, 5.0) == {"b": "x" * 100_000}


@pytest.mark.parametrize(
    "text", ["", "{", "[1, 2, 3]", "7", "null", "[[], 0]", '["text", 0]', "[" * 100_000, "\x00"]
)
def test_nonsense_of_it_is_an_end(pair: Pair, text: str) -> None:
    one, other = pair
    one.sendall(framed(text))
    with pytest.raises(Gone):
        hear(other, 5.0)


@pytest.mark.parametrize("data", [b"", b"\x00\x00", framed("[{}, 0]")[:-1]])
@pytest.mark.parametrize("closed", [False, True])
def test_it_is_not_waited_for_longer_than_said(pair: Pair, data: bytes, *, closed: bool) -> None:
    one, other = pair
    one.sendall(data)
    if closed:
        one.close()
    begun = time.monotonic()
    with pytest.raises(Gone):
        hear(other, 0.05)
    assert time.monotonic() - begun < 5
