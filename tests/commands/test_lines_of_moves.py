"""Every move of a recording is named by the line that made it, also where moves begin at the same instant."""

from __future__ import annotations

import workcell as wc
from workcell.commands.run_lines import places_of
from workcell.simulation.move_lines import key_of

PROGRAM = "%0A".join(
    (
        "repeat 2",
        "  find-path Puma joints 40,-40,20,0,45,0",
        "  move-joints-relative Puma 5,0,0,0,0,0",
        "  move-joints-relative Puma -5,0,0,0,0,0",
        "end",
    )
)


def test_a_found_path_that_takes_no_time_keeps_its_own_line():
    with wc.Cell() as cell:
        cell.do("create robot Puma puma560")
        cell.do(f'write program demo "{PROGRAM}"')
        cell.do("run demo")
        places = places_of(cell.session, cell.session.recording)
        lines = [(move.kind, places[key_of(move)]) for move in cell.session.recording.moves]
        once = [("found path", "line 2 of demo"), ("joints", "line 3 of demo"), ("joints", "line 4 of demo")]
        assert lines == once * 2
        checked = cell.do("check moves").moves
        assert [one.place for one in checked] == [f"line {line} of demo" for line in (2, 3, 4, 3, 4)]
