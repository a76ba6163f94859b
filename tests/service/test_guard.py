from __future__ import annotations

import pytest

from workcell.service.guard import Guard, is_loopback

LOCAL = Guard(loopback=True, token=None)
OPEN = Guard(loopback=False, token="secret")


@pytest.mark.parametrize("host", ["127.0.0.1", "127.3.2.1", "::1", "localhost"])
def test_this_machine_is_loopback(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.4", "example.org", ""])
def test_anything_else_is_not(host: str) -> None:
    assert not is_loopback(host)


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost:8000", "[::1]:8000"])
def test_the_own_page_is_let_in(host: str) -> None:
    assert LOCAL.refusal({"host": host, "origin": f"http://{host}"}, "", public=False) == ""
    assert LOCAL.refusal({"host": host}, "", public=False) == ""


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "http://127.0.0.1:9", "null", "", "http://127.0.0.1:8000.evil.example"]
)
def test_a_foreign_page_is_kept_out_even_of_public_files(origin: str) -> None:
    headers = {"host": "127.0.0.1:8000", "origin": origin}
    for public in (False, True):
        assert "may not talk to the server" in LOCAL.refusal(headers, "", public=public)


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example:8000", "", "192.168.1.4:8000"])
def test_a_foreign_name_for_this_machine_is_refused(host: str) -> None:
    assert "localhost only" in LOCAL.refusal({"host": host, "origin": f"http://{host}"}, "", public=False)


@pytest.mark.parametrize(
    ("headers", "query"),
    [
        ({"x-workcell-token": "secret"}, ""),
        ({"authorization": "Bearer secret"}, ""),
        ({}, "a=1&token=secret"),
    ],
)
def test_the_token_opens_in_three_ways(headers: dict[str, str], query: str) -> None:
    assert OPEN.refusal({"host": "robot.lan:8000", **headers}, query, public=False) == ""


@pytest.mark.parametrize(
    ("headers", "query"),
    [({}, ""), ({"x-workcell-token": "Secret"}, ""), ({"authorization": "Basic secret"}, ""), ({}, "token=")],
)
def test_without_the_token_only_the_page_itself_is_given(headers: dict[str, str], query: str) -> None:
    asked = {"host": "robot.lan:8000", **headers}
    assert "needs its token" in OPEN.refusal(asked, query, public=False)
    assert OPEN.refusal(asked, query, public=True) == ""
