"""What `plan program` does with steps that already look for a path."""

from __future__ import annotations

import workcell as wc


def text_of(cell, name="p"):
    return str(cell.session.database.entity("program", name).properties["text"]).split("\n")


def test_a_path_that_may_touch_something_stays_as_it_is():
    with wc.Cell() as cell:
        cell.do("create robot Puma puma560 joints 0,0,-90,0,90,0")
        tip = cell.snapshot().tool_pose(cell.state, "Puma").xyz * 1e3
        x, y, z = tip
        cell.do(f"add solid pad box 200 200 20 at {x:.1f},{y:.1f},{z - 5:.1f}")
        line = "find-path Puma joints 20,0,-90,0,90,0 touching pad"
        cell.do(f'write program p "{line}"')
        planned = cell.do("plan program p")
        assert text_of(cell) == [line]
        assert not planned.written
        assert all(not one.replaced for one in planned.transits)


def test_a_path_that_meets_a_robot_under_way_looks_beside_it_and_keeps_its_goal():
    with wc.Cell() as cell:
        cell.do("create robot A puma560 joints -50,20,-120,0,60,0")
        cell.do("create robot B puma560 at 1300,0,0 rotate 0,0,180 joints -50,20,-120,0,60,0")
        steps = ["parallel", "  move-joints-absolute A 50,20,-120,0,60,0", "and",
                 "  find-path B joints 50,20,-120,0,60,0 seed 3", "end"]  # fmt: skip
        cell.call("write program", name="p", text="\n".join(steps))
        planned = cell.do("plan program p")
        after = text_of(cell)
        assert any("find-path B joints 50,20,-120,0,60,0 seed 3 --beside" in line for line in after), after
        assert planned.written
        cell.do("run p")
        assert "nothing touches" in str(cell.do("check recording"))
