"""Programs that are copied from another cell: every name in them keeps its meaning."""

from __future__ import annotations

import pytest

import workcell as wc
from workcell.commands.program_store import TEXT
from workcell.errors import NameTaken

LINES = (
    "create robot A puma560 joints 0,0,-90,0,90,0",
    "create signal ready",
    'create signal "part here"',
    "add rail rail 1000 at 0,2000,0",
    "add solid cube box 40 40 40 at 450,0,20 --movable",
    "create target spot",
    "place spot at 450,0,300 rotate 180,0,0",
    "create frame fix",
    "place fix at 450,0,300 rotate 180,0,0",
    "create path way",
    "attach spot to way",
)
GO = """let left = 1   # A is the robot
set-signal ready 1
move-joints-relative A 10,0,0,0,0,0
move-end-effector A spot translate 0,0,-20
move-end-effector robot:A fix
move-joints-relative robot:"A" \\
  -10,0,0,0,0,0
if ready = 1 and signal("part here") = 0 and signal:"A/gripper" = 0 and left = 1
  message x(target:"spot") + joint(A, 1) * 1mm/1deg
  message "A ready spot" + signal("A/opening")
end
for one in way
  message x(one)
end
while left < 2
  let left = left + ready
end
verbatim rapid
  MoveJ spot, A;
end
call inner ready
wait-for ready
"""
INNER = 'parameter n number = 1\nset-signal "part here" n\ntogether move-joints-relative A 1,0,0,0,0,0 & move-joints-relative rail 5'


def write(cell, name, text):
    cell.do("program " + name + "\n" + text + "\nend")


def texts(cell):
    return {one.name: one.properties[TEXT] for one in cell.database.entities("program")}


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "r1.cell"
    with wc.Cell.create(path) as cell:
        for line in LINES:
            cell.do(line)
        write(cell, "inner", INNER)
        write(cell, "go", GO.rstrip())
        cell.do("create task shift")
        cell.do("attach go to shift")
        assert str(cell.do("check program go")) == "program 'go': no mistakes"
        yield cell


def saved(cell, tmp_path):
    path = tmp_path / f"copy{len(list(tmp_path.iterdir()))}.cell"
    cell.do(f"save {path}")
    return path


def renamed_one_by_one(cell, prefix):
    """The texts after everything got its new name by `modify … name`, which follows programs by itself."""
    for entity in cell.database.entities():
        cell.do(f'modify {entity.kind}:"{entity.name}" name "{prefix}{entity.name}"')
    return texts(cell)


@pytest.mark.parametrize("prefix", ["R-", "far_", "7", "left-", "left", "rot", "two words-"])
def test_a_prefix_stands_in_programs_as_after_renames(source, tmp_path, prefix):
    path = saved(source, tmp_path)
    with wc.Cell() as host:
        for line in LINES:
            host.do(line)
        host.do(f'load {path} prefix "{prefix}"')
        assert texts(host) == renamed_one_by_one(source, prefix)
        host.do(f'use scene "{prefix}main"')
        assert str(host.do(f'check program "{prefix}go"')) == f"program '{prefix}go': no mistakes"


def test_a_program_that_is_taken_over_moves_its_own_robot_and_not_the_hosts(source, tmp_path):
    messages = source.do("run go").messages
    joints = source.state.joints
    path = saved(source, tmp_path)
    with wc.Cell() as host:
        for line in LINES:
            host.do(line)
        write(host, "go", "move-joints-relative A 1,0,0,0,0,0")
        before = texts(host)
        answer = host.do(f"load {path} prefix R-")
        assert "\n" not in str(answer)
        assert texts(host).items() >= before.items()
        steps = [row[1] for row in host.do("steps R-go").rows]
        assert steps[1:3] == ["set-signal R-ready 1", "move-joints-relative R-A 10,0,0,0,0,0"]
        assert [row[1] for row in host.do("steps R-shift").rows] == ["call R-go"]
        host.do("use scene R-main")
        for run in ("run R-go", "run R-shift"):
            assert host.do(run).messages == messages
            assert {name.removeprefix("R-"): list(values) for name, values in host.state.joints.items()} == {
                name: list(values) for name, values in joints.items()
            }
            assert host.state.signals["ready"] == 0
            assert host.state.signals["R-ready"] == 1
        assert host.replayed().database.rows() == host.database.rows()
        rows = host.database.rows()
        for _ in range(3):  # the two runs and the scene
            host.do("undo")
        host.do("undo")
        assert texts(host) == before
        for _ in range(4):
            host.do("redo")
        assert host.database.rows() == rows


def test_a_name_that_the_other_cell_lacks_does_not_come_to_mean_the_hosts(tmp_path):
    with wc.Cell.create(tmp_path / "one.cell") as other:
        write(other, "p", "move-joints-relative A 10,0,0,0,0,0\nset-signal ready 1\nmessage later\nlet later = 2")
        other.do(f"save {tmp_path / 'two.cell'}")
    with wc.Cell() as host:
        for line in LINES:
            host.do(line)
        host.do(f"load {tmp_path / 'two.cell'} prefix R-")
        assert texts(host)["R-p"].split("\n")[:2] == ["move-joints-relative R-A 10,0,0,0,0,0", "set-signal R-ready 1"]
        assert texts(host)["R-p"].endswith("message later\nlet later = 2")  # a variable, wherever it gets its value


def test_lines_that_cannot_be_read_are_named_and_the_others_follow(source, tmp_path):
    write(
        source,
        "bad",
        "set-signal ready 1\nmove-joints-relativ A ,,\nmove-joints-relative A 1,0,0,0,0,0\ncreate block A",
    )
    path = saved(source, tmp_path)
    with wc.Cell() as host:
        answer = str(host.do(f"load {path} prefix R-"))
        lines = texts(host)["R-bad"].split("\n")
        assert (lines[0], lines[2]) == ("set-signal R-ready 1", "move-joints-relative R-A 1,0,0,0,0,0")
        assert "Lines 2 and 4 of program 'R-bad' cannot be read" in answer
        assert "R-go" not in answer


@pytest.mark.parametrize("prefix", ["", "R-"])
def test_names_of_another_kind_that_come_together_keep_what_programs_mean(tmp_path, prefix):
    with wc.Cell.create(tmp_path / "one.cell") as other:
        other.do("create target x")
        other.do("create signal y")
        write(other, "theirs", "message x(x) + y")
        other.do(f"save {tmp_path / 'two.cell'}")
    with wc.Cell() as host:
        host.do(f"create signal {prefix}x")
        host.do(f"create target {prefix}y")
        write(host, "ours", f"message x({prefix}y)\nmessage {prefix}x + 1")
        host.do(f"load {tmp_path / 'two.cell'}" + (f" prefix {prefix}" if prefix else ""))
        assert texts(host)["ours"] == f'message x(target:"{prefix}y")\nmessage {prefix}x + 1'
        theirs = 'signal:"R-y"' if prefix else "y"  # a signal is meant first
        assert texts(host)[f"{prefix}theirs"] == f'message x(target:"{prefix}x") + {theirs}'


def test_a_refused_load_changes_no_program(source, tmp_path):
    path = saved(source, tmp_path)
    with wc.Cell() as host:
        host.do("create signal R-ready")
        write(host, "p", "set-signal R-ready 1")
        rows = host.database.rows()
        with pytest.raises(NameTaken):
            host.do(f"load {path} prefix R-")
        assert host.database.rows() == rows


def test_a_program_whose_units_are_damaged_is_taken_over_with_its_names(source, tmp_path):
    source.do(f"save {tmp_path / 'whole.celltext'}")
    whole = (tmp_path / "whole.celltext").read_text()
    damaged = whole.replace(r'"{\"length\":\"mm\",\"angle\":\"deg\"}"', '"millimetres"')
    assert damaged != whole
    (tmp_path / "damaged.celltext").write_text(damaged)
    with wc.Cell() as host:
        host.do(f"load {tmp_path / 'damaged.celltext'} prefix R-")
        assert "set-signal R-ready 1" in texts(host)["R-go"]


def test_zones_and_views_name_what_came_with_them(tmp_path):
    """After `load … prefix` their lists hold the same names as after renames one by one."""
    with wc.Cell.create(tmp_path / "a.cell") as source:
        for line in (
            "create robot Puma puma560", "create robot Other puma560 at 2000,0,0", "add solid post box 60 60 500 at 900,900,250",
            "add zone near box 100 100 100 at 900,0,0", "modify zone:near robots Puma", "add zone far box 9 9 9 at 0,900,0",
            "modify zone:far except Other", "look v1 top", "modify view:v1 shows post,Puma",
        ):  # fmt: skip
            source.do(line)
    with wc.Cell.copy_of(tmp_path / "a.cell") as renamed, wc.Cell() as host:
        renamed_one_by_one(renamed, "L-")
        host.do("create robot Puma puma560")
        host.do(f"load {tmp_path / 'a.cell'} prefix L-")
        for kind in ("zone", "view"):
            wanted = {one.name: one.properties for one in renamed.database.entities(kind)}
            assert {one.name: one.properties for one in host.database.entities(kind) if one.name in wanted} == wanted
        assert wanted["L-v1"]["shows"] == "L-post, L-Puma"
