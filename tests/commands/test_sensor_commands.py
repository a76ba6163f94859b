"""Sensors as entities: their life in a cell, and what is refused in one sentence."""

from __future__ import annotations

import pytest

import workcell as wc
from workcell.errors import Unreachable, WorkcellError
from workcell.world.database import Database
from workcell.world.flatten import snapshot_of
from workcell.world.recovery import recover
from workcell.world.text_form import from_text, to_text

CELL = (
    "create robot Puma puma560 joints 0,0,-90,0,90,0",
    "add solid table box 560 800 30 at 780,-100,385",
    "add solid cube box 100 100 100 at 1000,150,450 --movable",
    "modify object:cube mass 2kg",
)
SENSORS = (
    "add light-barrier gate from 1000,-400,450 to 1000,400,450 ignores Puma",
    "add light-barrier hand length 120 at 0,0,30 on Puma sees cube",
    "add distance-sensor probe range 800 thresholds 100,250 at 1000,150,1000 rotate 180,0,0",
    "add proximity-sensor near distance 60 at 1000,150,520",
    "add proximity-sensor slot box 120,120,20 at 0,0,60 on cube",
    "add contact-sensor laid on table sees cube",
    "add weight-sensor scale on table",
    "add encoder counts on Puma joint 3 resolution 0.1",
    "add camera eye view 50 range 1500 height 30 at 1000,150,1500 rotate 180,0,0 sees cube sees table",
)


@pytest.fixture
def cell():
    with wc.Cell() as cell:
        for line in (*CELL, *SENSORS):
            cell.do(line)
        yield cell


def reads(cell):
    return {row[0]: row[-1] for row in cell.do("sensors").rows}


def test_every_kind_reads_what_stands_there(cell):
    assert reads(cell) == {
        "gate": "1", "hand": "0", "probe": "0.5 (cube)", "near": "1", "slot": "0", "laid": "1",
        "scale": "2 (cube)", "counts": "-1.5708", "eye": "2 (table, cube)",
    }  # fmt: skip
    sim = wc.Simulator(cell)
    assert sim.signal("gate") == 1.0
    assert sim.signal("probe") == pytest.approx(0.5)


def test_sensors_survive_undo_redo_files_and_text(cell, tmp_path):
    before, hash_ = reads(cell), cell.snapshot().sections["sensors"]
    for _ in SENSORS:
        cell.undo()
    assert cell.snapshot().sensors == ()
    for _ in SENSORS:
        cell.redo()
    assert cell.snapshot().sections["sensors"] == hash_
    cell.do(f"save {tmp_path / 'a.cell'}")
    recover(tmp_path / "a.cell", tmp_path / "b.cell")
    for file in ("a.cell", "b.cell"):
        with wc.Cell.open(tmp_path / file) as again:
            assert reads(again) == before
            assert again.snapshot().sections["sensors"] == hash_
            text = to_text(again.database)
    database = Database.memory()
    from_text(text, database)
    assert snapshot_of(Database(database.store)).sections["sensors"] == hash_
    with wc.Cell() as other:
        other.do("load " + str(tmp_path / "a.cell") + " prefix b-")
        assert reads(other) == {
            f"b-{name}": read.replace("cube", "b-cube").replace("table", "b-table") for name, read in before.items()
        }
        other.undo()
        assert reads(other) == {}


def test_names_inside_follow_a_rename_and_programs_follow_the_sensor(cell):
    cell.do('write program go "wait-for laid%0Await-until signal(laid) = 1"')
    cell.do("modify object:cube name brick")
    assert cell.snapshot().sensor("laid").sees == ("brick",)
    cell.do("modify Puma name Arm")
    assert cell.snapshot().sensor("gate").ignores == ("Arm",)
    assert cell.snapshot().sensor("hand").frame == "Arm"
    cell.do("modify laid name lying")
    assert "lying" in str(cell.do("steps go"))
    assert "laid" not in str(cell.do("steps go"))
    cell.do("run go")
    told = cell.do("remove lying")
    assert "program 'go' still names it in line 1" in str(told)
    with pytest.raises(WorkcellError, match="lying"):
        cell.do("run go")


def test_a_sensor_goes_where_its_carrier_goes(cell):
    cell.do("place cube at 200,0,450")
    assert cell.do("where slot").matrix[0][3] == pytest.approx(0.2)
    assert reads(cell)["gate"] == "0"
    cell.do("attach near to cube translate 0,0,70")
    assert cell.snapshot().sensor("near").frame == "cube"
    cell.do("place near at 0,0,0")
    assert cell.snapshot().sensor("near").frame == "world"
    assert cell.do("show near").facts["pointed_by"] == 1


def test_a_sensor_on_a_frame_goes_with_the_object_of_the_frame(cell):
    cell.do("create frame edge")
    cell.do("attach frame:edge to object:cube translate 0,0,50")
    cell.do("add light-barrier over length 50 at 0,0,10 on frame:edge")
    assert cell.snapshot().sensor("over").frame == "cube"
    assert cell.do("where over").matrix[2][3] == pytest.approx(0.51)


def test_a_carrier_that_is_removed_takes_its_sensors_along_or_says_so(cell):
    told = cell.do("remove table --deep")
    assert "sensor 'laid', sensor 'scale' removed" in str(told)
    cell.undo()
    cell.do("detach scene:main/table")
    assert reads(cell)["laid"] == "Sensor 'laid' is on 'table', which stands in no scene; `place table at …` first."
    with pytest.raises(WorkcellError, match=r"object 'table' carries sensor 'laid'. `remove object:table --deep`"):
        cell.do("remove table")
    with pytest.raises(WorkcellError, match="stands in no scene"):
        wc.Simulator(cell).signal("laid")


def test_copies_have_sensors_of_their_own_only_where_they_are_deep(cell):
    cell.do("copy object:cube as other")
    assert {one.name for one in cell.snapshot().sensors} == set(reads(cell))
    assert cell.do("show slot").facts["pointed_by"] == 1
    cell.do("copy object:cube as third --deep")
    assert "third slot" in reads(cell)


def test_a_body_that_is_listed_and_gone_is_named(cell):
    cell.do("remove cube --deep")
    rows = {row[0]: row for row in cell.do("sensors").rows}
    assert rows["laid"][3] == "cube (does not exist now)"
    assert rows["laid"][4] == "0"


REFUSED = {
    "add light-barrier z from 0,0,0 to 0,0,0": "has no length: its ends are the same point",
    "add light-barrier z length 0": "The length of sensor 'z' must be above 0; found 0 mm",
    "add light-barrier z": "needs a length or two points",
    "add light-barrier z length 5 from 0,0,0 to 1,0,0": "Give a beam either by two points, or by a pose and a length",
    "add light-barrier z length 5 link 2": "Only robots and mechanisms have links",
    "add light-barrier z length 5 on Puma link 9": "Puma has links 0 \\(base\\) to 6; found 9",
    "add light-barrier z length nan": "Expected LENGTH",
    "add light-barrier z length 5 radius -1": "The radius of sensor 'z' must be 0 or more; found -1 mm",
    "add encoder z on Puma joint 1 resolution 0": "The resolution of sensor 'z' must be above 0; found 0",
    "add encoder z on Puma joint 7 resolution 1": "Puma has joints 1 to 6; found 7",
    "add camera z view 200 range 10": "must be above 0° and below 180°; found 200°",
    "add distance-sensor z range 100 thresholds 50,120": "must be below its range of 100 mm",
    "add proximity-sensor z": "give it a `distance` or a `size`, not both",
    "add proximity-sensor z distance 5 box 1,1,1": "give it a `distance` or a `size`, not both",
    "add contact-sensor z on frame:nowhere": "Expected",
    "add light-barrier gate length 5": "There is a sensor called 'gate' already",
    "create signal gate": "There is a sensor called 'gate' already, and a sensor is the signal with its name",
    "modify gate length -5": "The length of sensor 'gate' must be above 0; found -5 mm",
    "modify counts joint 0": "must be more than zero",
    "modify gate senses camera": "Sensor 'gate' needs a range",
    "set-signal gate 1": "'gate' is a sensor: it shows what it senses and cannot be set",
    "attach gate to block:cube-solid": "cannot be attached to a block",
}


@pytest.mark.parametrize("line", REFUSED)
def test_bad_input_is_refused_in_one_sentence_and_changes_nothing(cell, line):
    before = cell.snapshot().hash
    with pytest.raises(WorkcellError, match=REFUSED[line]):
        cell.do(line)
    assert cell.snapshot().hash == before


def test_a_signal_cannot_take_the_name_of_a_sensor_by_any_way(cell, tmp_path):
    cell.do("create signal free")
    for line in ("modify signal:free name gate", "modify gate name free"):
        with pytest.raises(WorkcellError, match="a sensor is the signal with its name"):
            cell.do(line)
    with wc.Cell() as other:
        other.do("create signal gate")
        other.do(f"save {tmp_path / 'o.cell'}")
    with pytest.raises(WorkcellError, match="sensor 'gate'"):
        cell.do(f"load {tmp_path / 'o.cell'}")


def test_a_made_up_sensor_without_a_kind_has_no_value_and_says_why(cell):
    cell.do("create sensor odd")
    assert reads(cell)["odd"] == (
        "Sensor 'odd' has no kind; `modify odd senses light-barrier|distance|proximity|contact|weight|encoder|camera`."
    )


def test_a_program_that_sets_a_sensor_is_a_mistake_before_it_runs(cell):
    cell.do('write program wrong "set-signal gate 1"')
    assert "'gate' is a sensor: it shows what it senses and cannot be set" in str(cell.do("check program wrong"))


def test_a_sensor_of_another_scene_says_where_it_is(cell):
    cell.do("create scene hall")
    cell.do("use scene hall")
    assert reads(cell)["gate"] == "Sensor 'gate' stands in scene 'main'; `use scene main` shows that one."
    cell.do("use scene main")
    assert reads(cell)["gate"] == "1"


def test_views_show_the_sensors_that_are_displayed_in_them(cell):
    cell.do("create view v")
    cell.do("clear eye from v")
    shown = cell.do("show v").facts["properties"]["shows"].split(", ")
    assert "gate" in shown
    assert "eye" not in shown
    cell.do("display eye in v")
    cell.do("modify eye name look")
    assert "look" in cell.do("show v").facts["properties"]["shows"].split(", ")


def test_a_replaced_robot_keeps_its_sensors(cell):
    cell.do("replace robot Puma with ur5e")
    assert cell.snapshot().sensor("hand").problem == ""
    assert cell.snapshot().sensor("counts").problem == ""


def test_pictures_show_beams_and_views_choose_them(cell, tmp_path):
    import numpy as np
    from PIL import Image

    def picture(name):
        cell.do(f"render {tmp_path / name} iso size 320 240")
        return np.asarray(Image.open(tmp_path / name)).astype(int)

    with_sensors = picture("with.png")
    for _ in SENSORS:
        cell.undo()
    assert np.abs(with_sensors - picture("without.png")).max() > 20


@pytest.mark.parametrize("unit", ["", "units m deg"])
def test_a_beam_of_two_points_keeps_its_direction_when_only_its_position_changes(cell, unit):
    if unit:
        cell.do(unit)
    shown = str(cell.do("show gate"))
    assert ("beam from 1,-0.4,0.45 to 1,0.4,0.45" if unit else "beam from 1000,-400,450 to 1000,400,450") in shown
    said = str(cell.do("place gate at 900mm,-300mm,450mm"))
    assert said == "sensor 'gate' stands in scene 'main'; it looks in the same direction as before"
    beam = next(one for one in cell.snapshot().sensors if one.name == "gate")
    assert beam.X_frame_sensor.apply((0.0, 0.0, beam.reach)) == pytest.approx((0.9, 0.5, 0.45), abs=1e-12)
    cell.do("undo")
    assert str(cell.do("show gate")) == shown


def test_a_direction_that_is_given_counts_when_a_sensor_is_placed(cell):
    cell.do("place gate at 1000,0,0 rotate 0,0,0")
    assert "beam from 1000,0,0 to 1000,0,800" in str(cell.do("show gate"))
    cell.do("place hand at 0,0,0")  # it was on the robot: the world knows no direction of it
    assert "beam from 0,0,0 to 0,0,120" in str(cell.do("show hand"))


def test_the_ends_of_a_beam_on_a_robot_are_shown_in_its_frame(cell):
    assert "beam from 0,0,30 to 0,0,150 in the frame of Puma link 6" in str(cell.do("show hand"))


@pytest.mark.parametrize("first", [[], ["move-joints-relative Puma 1,0,0,0,0,0"]])
def test_a_refused_move_of_a_cell_with_a_new_sensor_changes_nothing(first):
    with wc.Cell() as cell:
        for line in (CELL[0], *first, "add light-barrier gate from 560,2350,740 to 560,2650,740"):
            cell.do(line)
        rows, steps = cell.database.rows(), len(cell.journal)
        with pytest.raises(Unreachable):
            cell.do("move-end-effector Puma 9000,0,0 euler fanuc_wpr 180,0,180")
        assert (cell.database.rows(), len(cell.journal)) == (rows, steps)
