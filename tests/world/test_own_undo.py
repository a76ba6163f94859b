"""Undo of one's own last step while others work on the same cell."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workcell.commands.cell import Cell
from workcell.errors import NothingToUndo, Refused
from workcell.world.text_form import to_text


class Both:
    """Two clients of one cell, as a server lets them work: one after the other, each with the other as company."""

    def __init__(self) -> None:
        self.cell = Cell()

    def do(self, who: str, line: str):
        session = self.cell.session
        session.who, session.company = who, frozenset({"ann", "bob"} - {who})
        try:
            return session.do(line)
        finally:
            session.company = frozenset()


@pytest.fixture
def both():
    made = Both()
    with made.cell:
        yield made


def names(cell: Cell) -> list[str]:
    return sorted(one.name for one in cell.database.entities("block"))


def test_each_undoes_their_own_last_step(both):
    both.do("ann", "create block a1")
    both.do("bob", "create block b1")
    both.do("ann", "create block a2")
    both.do("bob", "create block b2")
    assert "create block a2 (by ann)" in str(both.do("ann", "undo"))
    assert names(both.cell) == ["a1", "b1", "b2"]
    assert "create block b2 (by bob)" in str(both.do("bob", "undo"))
    both.do("ann", "undo")
    both.do("bob", "undo")
    assert names(both.cell) == []
    with pytest.raises(NothingToUndo):
        both.do("ann", "undo")
    for _ in range(4):
        both.do("ann", "redo")
    assert names(both.cell) == ["a1", "a2", "b1", "b2"]


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        ("create block a1", "modify a1 colour red"),
        ("create block a1", "create object o1"),  # followed by an attachment of a1, below
        ("rename block a0 a1", 'write program p1 "message a1"'),
        ("modify a0 colour red", "modify a0 colour blue"),
    ],
)
def test_a_step_that_others_built_on_stays_and_the_message_names_theirs(both, mine, theirs):
    both.do("ann", "create block a0")
    if mine.startswith("rename"):
        mine = "modify a0 name a1"
    both.do("ann", mine)
    both.do("bob", theirs)
    if "o1" in theirs:
        both.do("bob", "attach a1 to o1")
    before = to_text(both.cell.database)
    with pytest.raises(Refused, match=r"by bob.*undo --any") as refused:
        both.do("ann", "undo")
    assert refused.value.evidence["who"] == "bob"
    assert to_text(both.cell.database) == before
    both.do("ann", "undo --any")
    assert to_text(both.cell.database) != before


def test_a_move_of_another_is_not_taken_back(both):
    """The case that was seen: an undo in one window took back a move that was made in another."""
    both.do("ann", "create robot Puma puma560")
    both.do("ann", "create block a1")
    both.do("bob", "move-joints-relative Puma 10,0,0,0,0,0")
    moved = both.cell.state.joints["Puma"]
    both.do("ann", "undo")
    assert names(both.cell) == []
    assert both.cell.state.joints["Puma"] == pytest.approx(moved)
    assert both.cell.session.recording.duration > 0.0
    with pytest.raises(Refused, match="move-joints-relative Puma 10,0,0,0,0,0` \\(by bob\\)"):
        both.do("ann", "undo")
    both.do("bob", "undo")
    assert both.cell.state.joints["Puma"] != pytest.approx(moved)


def test_the_same_revision_means_the_same_content(both):
    """Caches go by the revision, so an undo in the middle gives the later steps new numbers."""
    history, seen = both.cell.database.history, {}
    for who, line in (
        ("ann", "create block a1"), ("bob", "create block b1"), ("bob", "create block b2"), ("ann", "undo"),
        ("bob", "undo"), ("ann", "redo"), ("ann", "redo"), ("bob", "create block b3"), ("ann", "undo"),
    ):  # fmt: skip
        both.do(who, line)
        assert seen.setdefault(history.revision, names(both.cell)) == names(both.cell)
        assert both.cell.snapshot().hash == both.cell.replayed().snapshot().hash


def test_without_steps_of_ones_own_the_message_says_so(both):
    both.do("bob", "create block b1")
    with pytest.raises(Refused, match=r"no step that can be undone.*create block b1.*by bob"):
        both.do("ann", "undo")


def test_alone_undo_takes_back_whatever_was_last(both):
    both.do("bob", "create block b1")
    both.cell.session.who = "ann"
    both.cell.do("undo")
    assert names(both.cell) == []


def test_several_steps_stop_where_others_come_between(both):
    both.do("ann", "create block a1")
    both.do("bob", "modify a1 colour red")
    both.do("ann", "create block a2")
    text = str(both.do("ann", "undo 2"))
    assert "undone: create block a2" in text
    assert "by bob" in text
    assert names(both.cell) == ["a1"]


def test_an_open_group_of_another_follows_the_new_numbers_of_its_steps(both):
    both.do("ann", "create block a1")
    session = both.cell.session
    session.who = "bob"
    session.do("group")
    session.do("create block b1")
    group, session.group = session.group, None
    both.do("ann", "undo")
    assert names(both.cell) == ["b1"]
    session.who, session.group = "bob", group
    session.do("create block b2")
    assert "2 commands" in str(session.do("end"))
    session.who = "ann"
    session.do("undo --any")
    assert names(both.cell) == []
    assert names(both.cell.replayed()) == []


def test_it_survives_closing(tmp_path):
    with Cell.create(tmp_path / "c.cell") as cell:
        both = Both.__new__(Both)
        both.cell = cell
        both.do("ann", "create block a1")
        both.do("bob", "create block b1")
        both.do("ann", "undo")
    with Cell.open(tmp_path / "c.cell") as cell:
        assert names(cell) == ["b1"]
        cell.do("redo")
        assert names(cell) == ["a1", "b1"]
        assert names(cell.replayed()) == ["a1", "b1"]


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["ann", "bob"]),
        st.one_of(
            st.integers(0, 5).map(lambda n: f"create block x{n}"),
            st.integers(0, 5).map(lambda n: f"remove x{n}"),
            st.tuples(st.integers(0, 5), st.sampled_from(["red", "blue", "green"])).map(
                lambda t: f"modify x{t[0]} colour {t[1]}"
            ),
            st.integers(0, 5).map(lambda n: f"modify x{n} name y{n}"),
            st.just("undo"),
            st.just("undo --any"),
            st.just("redo"),
        ),
    ),
    max_size=25,
)


@settings(max_examples=60, deadline=None)
@given(STEPS)
def test_an_undo_leaves_everything_of_the_other_and_all_can_be_undone_and_redone(steps):
    """Laws: only rows of the undone step change; undoing all leads to the empty cell, redoing all back again."""
    from workcell.errors import WorkcellError

    both = Both()
    with both.cell as cell:
        history = cell.database.history
        seen: dict[int, str] = {history.revision: to_text(cell.database)}
        for who, line in steps:
            before = to_text(cell.database)
            theirs = [(e.who, e.command) for e in history.entries() if not e.undone and e.who != who]
            try:
                both.do(who, line)
            except WorkcellError:
                assert to_text(cell.database) == before
            if line == "undo":
                assert [(e.who, e.command) for e in history.entries() if not e.undone and e.who != who] == theirs
            now = to_text(cell.database)
            assert seen.setdefault(history.revision, now) == now  # the same number means the same content
        end, count = to_text(cell.database), len(history)
        for _ in range(count):
            cell.do("undo")
        assert names(cell) == []
        for _ in range(count):
            cell.do("redo")
        assert to_text(cell.database) == end
