from __future__ import annotations

import pytest

from workcell.errors import InvalidValue
from workcell.service.guard import Guard, checked_token, is_loopback

LOCAL = Guard(loopback=True, token="secret")
OPEN = Guard(loopback=False, token="secret")


def refused(guard: Guard, headers: dict[str, str], query: str = "token=secret", public: bool = False) -> str:
    found = guard.refusal(headers.items(), query, public=public)
    return f"{found.status} {found.reason}" if found else ""


@pytest.mark.parametrize("host", ["127.0.0.1", "127.3.2.1", "::1", "localhost"])
def test_this_machine_is_loopback(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.4", "example.org", ""])
def test_anything_else_is_not(host: str) -> None:
    assert not is_loopback(host)


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost:8000", "[::1]:8000"])
def test_the_own_page_is_let_in(host: str) -> None:
    assert refused(LOCAL, {"host": host, "origin": f"http://{host}"}) == ""
    assert refused(LOCAL, {"host": host}) == ""


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "http://127.0.0.1:9", "null", "", "http://127.0.0.1:8000.evil.example"]
)
def test_a_foreign_page_is_kept_out_even_of_public_files(origin: str) -> None:
    headers = {"host": "127.0.0.1:8000", "origin": origin}
    for public in (False, True):
        assert "may not talk to the server" in refused(LOCAL, headers, public=public)


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example:8000", "192.168.1.4:8000"])
def test_a_foreign_name_for_this_machine_is_refused(host: str) -> None:
    assert "localhost only" in refused(LOCAL, {"host": host, "origin": f"http://{host}"})


@pytest.mark.parametrize(
    "host", ["", "[::1", "[", "]", "::1", "[::1]]", "a b", "a@localhost", "localhost:", "localhost:x", "[::1%lo]", "ü"]
)
def test_a_host_that_is_no_host_is_a_bad_request(host: str) -> None:
    for guard in (LOCAL, OPEN):
        for public in (False, True):
            told = refused(guard, {"host": host}, public=public)
            assert told.startswith("400 The host")
            assert told.endswith(".")


def test_headers_that_decide_come_once() -> None:
    for name in ("host", "origin", "x-workcell-token", "authorization"):
        headers = [("host", "localhost"), (name, "localhost"), (name, "localhost")]
        found = LOCAL.refusal(headers, "token=secret", public=True)
        assert found is not None
        assert found.status == 400


@pytest.mark.parametrize("query", ["token=%", "token=%ff", "&" * 5000, "token", "=&=", "token=secre", "token=secret0"])
def test_a_query_without_the_token_is_refused_however_it_looks(query: str) -> None:
    assert refused(LOCAL, {"host": "localhost"}, query).startswith("403")


@pytest.mark.parametrize("token", ["", "short", "with blank", "x" * 300, "semi;colon", "ümlaut-ümlaut"])
def test_a_token_cannot_be_empty_or_odd(token: str) -> None:
    with pytest.raises(InvalidValue, match="A token has 8 to 200"):
        checked_token(token)


def test_tokens_that_are_made_are_long_and_different() -> None:
    made = {checked_token(None) for _ in range(100)}
    assert len(made) == 100
    assert min(map(len, made)) >= 32


@pytest.mark.parametrize(
    ("headers", "query"),
    [
        ({"x-workcell-token": "secret"}, ""),
        ({"authorization": "Bearer secret"}, ""),
        ({}, "a=1&token=secret"),
    ],
)
def test_the_token_opens_in_three_ways(headers: dict[str, str], query: str) -> None:
    assert refused(OPEN, {"host": "robot.lan:8000", **headers}, query) == ""
    assert refused(LOCAL, {"host": "localhost:8000", **headers}, query) == ""


@pytest.mark.parametrize(
    ("headers", "query"),
    [({}, ""), ({"x-workcell-token": "Secret"}, ""), ({"authorization": "Basic secret"}, ""), ({}, "token=")],
)
def test_without_the_token_only_the_page_itself_is_given(headers: dict[str, str], query: str) -> None:
    for guard, host in ((OPEN, "robot.lan:8000"), (LOCAL, "127.0.0.1:8000")):
        asked = {"host": host, **headers}
        assert "needs its token" in refused(guard, asked, query)
        assert refused(guard, asked, query, public=True) == ""
