"""`check program` warns of targets that an arm reaches, but not on the branch that is asked for."""

from __future__ import annotations

import workcell as wc


def test_a_branch_out_of_the_limits_of_a_replaced_arm_is_named():
    with wc.Cell() as cell:
        for line in (
            "create robot A kr16",
            "move-joints-absolute A 20,-60,60,0,45,0",
            "learn target spot from A",
            "home A",
            "keep state",
        ):
            cell.do(line)
        cell.session.call("write program", {"name": "inner", "text": "wait 1\nmove-end-effector A spot branch -++"})
        cell.session.call("write program", {"name": "outer", "text": "call inner"})
        assert cell.do("check program outer").notes == ()
        cell.do("replace robot A with puma560")
        (note,) = cell.do("check program outer").notes
        assert note.startswith("line 2 of 'inner': A reaches target 'spot' only on other branches: on the branch -++")
        assert "joint 2 would be" in note
        assert note in str(cell.do("check program outer"))
