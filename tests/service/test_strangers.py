"""Connections that say nothing: they are bounded for each address, and go after a while."""

from __future__ import annotations

import contextlib
import socket
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workcell.service import http_connection, strangers
from workcell.service.client import connect
from workcell.service.strangers import MAX_IN_ALL, MAX_STRANGERS, Strangers


@given(st.lists(st.tuples(st.sampled_from("abc"), st.booleans()), max_size=200))
def test_the_oldest_of_an_address_goes_and_nobody_of_another(arrivals: list[tuple[str, bool]]) -> None:
    crowd, waiting, gone = Strangers(), {name: [] for name in "abc"}, []
    for number, (address, speaks) in enumerate(arrivals):
        if speaks and waiting[address]:
            crowd.leave(address, waiting[address].pop())
            continue
        crowd.arrive(address, number, lambda number=number: gone.append(number))
        waiting[address].append(number)
        expected = [waiting[address].pop(0)] if len(waiting[address]) > MAX_STRANGERS else []
        assert gone == expected
        gone.clear()
    assert len(crowd) == sum(map(len, waiting.values()))


def test_many_addresses_together_are_bounded_too() -> None:
    crowd, gone = Strangers(), []
    for number in range(2 * MAX_IN_ALL):
        crowd.arrive(f"address {number}", number, lambda number=number: gone.append(number))
    assert len(crowd) == MAX_IN_ALL
    assert len(gone) == MAX_IN_ALL


def test_silent_connections_lock_nobody_out_of_the_page_and_the_wire(server) -> None:
    with contextlib.ExitStack() as stack:
        silent = [
            stack.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=20))
            for _ in range(3 * strangers.MAX_STRANGERS)
        ]
        for one in silent[::2]:
            one.sendall(b"GET / HTTP/1.1\r\nHost: local")  # half a request is none
        with connect(server.url) as client:
            assert client.status().clients == 1
        assert silent[0].recv(10) == b""  # the oldest had to go


def test_a_connection_without_a_request_is_closed_after_a_while(server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_connection, "REQUEST_WITHIN", 0.2)
    with connect(server.url) as client, socket.create_connection(("127.0.0.1", server.port), timeout=20) as silent:
        assert silent.recv(10) == b""
        time.sleep(0.3)
        assert client.status().clients == 1  # whoever has sent a request stays
