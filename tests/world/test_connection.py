"""What SQLite raises, as a problem of the file or as our own mistake; never by the words of its message."""

from __future__ import annotations

import sqlite3
import subprocess
import sys

import pytest

import workcell as wc
from workcell.errors import CommandSyntaxError, DamagedCell, InvalidValue
from workcell.world.store import Store


@pytest.fixture
def connection():
    store = Store.memory()
    yield store.connection
    store.connection.close()


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM missing", "SELECT missing FROM entity", "INSERT INTO setting(nothing) VALUES (1)",
        "SELECT json_extract('{', '$.a')",
    ],
)  # fmt: skip
def test_a_question_or_a_change_that_cannot_be_carried_out_is_the_fault_of_the_file(connection, statement):
    with pytest.raises(DamagedCell, match=r"^The cell is damaged: "):
        connection.execute(statement)
    with pytest.raises(DamagedCell):
        connection.write(statement)


@pytest.mark.parametrize("statement", ["ROLLBACK", "RELEASE nowhere", " rollback to nowhere"])
def test_a_transaction_that_is_not_there_is_our_own_mistake(connection, statement):
    with pytest.raises(sqlite3.OperationalError):
        connection.execute(statement)


def test_rows_that_break_off_are_the_fault_of_the_file(connection):
    connection.execute("INSERT INTO setting VALUES ('a', CAST(x'ff41' AS TEXT))")
    with pytest.raises(DamagedCell, match="UTF-8"):
        connection.execute("SELECT value FROM setting WHERE name = 'a'").fetchone()


def test_half_a_character_is_refused_and_two_rows_of_one_key_are_left_to_who_wrote_them(connection):
    with pytest.raises(InvalidValue, match="half a character"):
        connection.execute("INSERT INTO setting VALUES (?, '')", ("\ud800",))
    connection.execute("INSERT INTO setting VALUES ('a', '')")
    with pytest.raises(sqlite3.IntegrityError):
        connection.execute("INSERT INTO setting VALUES ('a', '')")


@pytest.mark.parametrize("length", [10_001, 60_000])
def test_a_word_of_a_question_that_no_pattern_can_be_is_refused_in_one_sentence(length):
    with wc.Cell() as cell:
        cell.do("create block a")
        assert "a" in str(cell.do(f"query name {'*' * 40}"))
        with pytest.raises(CommandSyntaxError, match="may have at most"):
            cell.do(f"query name {'x' * length}*")
        assert cell.session.complete(f"show {'x' * length}") == []


CLOSED = """
import sqlite3, sys, threading
from workcell.world.connection import connect
sys.setswitchinterval(1e-5)
for _ in range(100):
    one, begun = connect(":memory:"), threading.Event()
    one.execute("CREATE TABLE t (a)")
    for number in range(200):
        one.execute(f"SELECT {number}, a FROM t").fetchall()
    def read():
        begun.set()
        try:
            for number in range(10**6):
                one.execute(f"SELECT {number % 300}, a FROM t").fetchall()
        except sqlite3.ProgrammingError:
            pass
    thread = threading.Thread(target=read)
    thread.start()
    begun.wait()
    one.close()
    thread.join()
"""


def test_a_connection_that_another_thread_uses_is_closed_without_a_crash():
    done = subprocess.run([sys.executable, "-c", CLOSED], capture_output=True, text=True, check=False, timeout=90)
    assert (done.returncode, done.stderr) == (0, "")
