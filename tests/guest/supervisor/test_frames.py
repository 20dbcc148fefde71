"""Requests and frames between a host and a supervisor, over their socket."""

import os
import socket
import threading
from typing import Any

import pytest

from planish.guest.supervisor.frames import Answer, encode, frame, receive, send

Pair = tuple[socket.socket, socket.socket]


@pytest.mark.parametrize("size", [0, 10, 3_000_000])
def test_a_request_is_read_to_its_end(size: int) -> None:
    host, supervisor = socket.socketpair()
    with host, supervisor:
        data = encode({"files": [("a", b"x" * size)]})
        sending = threading.Thread(target=host.sendall, args=(data + b"more",))
        sending.start()
        found: Any = receive(supervisor.fileno())
        assert found == {"files": [("a", b"x" * size)]}
        sending.join()
        assert os.read(supervisor.fileno(), 10) == b"more"


@pytest.mark.parametrize("size", [0, 3, 8, 12])
def test_a_host_that_closes_before_the_end_has_asked_for_nothing(size: int) -> None:
    host, supervisor = socket.socketpair()
    with host, supervisor:
        host.sendall(encode({"a": 1})[:size])
        host.close()
        assert receive(supervisor.fileno()) is None


@pytest.mark.parametrize("content", [b"", b"abc", b"x" * 2_000_000])
def test_a_frame_is_its_kind_its_length_and_its_content(content: bytes) -> None:
    host, supervisor = socket.socketpair()
    with host, supervisor:
        sending = threading.Thread(target=send, args=(supervisor.fileno(), b"F", content))
        sending.start()
        whole = b"F" + len(content).to_bytes(8, "big") + content
        found = b""
        while len(found) < len(whole):
            found += os.read(host.fileno(), 1 << 20)
        sending.join()
        assert found == whole


def test_a_frame_is_sent_once() -> None:
    host, supervisor = socket.socketpair()
    with host, supervisor:
        answer = Answer(supervisor.fileno())
        for kind in (b"a", b"b"):
            answer.add(kind)
            answer.send()
        assert host.recv(1000) == frame(b"a", b"") + frame(b"b", b"")
