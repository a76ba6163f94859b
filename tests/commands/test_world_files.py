"""Whole work cell files by command: what comes in goes out, edits are written, what cannot be held is named."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import example, given, settings
from hypothesis import strategies as st

import workcell as wc
from workcell.cli import main
from workcell.errors import FileProblem, NotACell, Refused, WorkcellError
from workcell.robots.formats import wld
from workcell.spatial.pose import Pose

SAMPLE = Path(__file__).parent.parent / "data" / "robots" / "irb6400.wld"
TEXT = SAMPLE.read_text()


@pytest.fixture
def cell():
    return wc.Cell()


@pytest.fixture
def sample(cell, tmp_path: Path):
    shutil.copy(SAMPLE, tmp_path / "in.wld")
    cell.do(f"import world {tmp_path}/in.wld")
    return cell


def written(cell, folder: Path, name: str = "out.wld") -> wld.WldFile:
    cell.do(f"export world {folder}/{name} --replace")
    return wld.read(folder / name)


def read_again(cell, folder: Path) -> wc.Cell:
    written(cell, folder)
    other = wc.Cell()
    other.do(f"import world {folder}/out.wld")
    return other


# ---- the file of case one -----------------------------------------------------------------------------


def test_the_file_of_case_one_opens_as_a_cell_and_is_saved_to_the_letter(sample, tmp_path: Path) -> None:
    written(sample, tmp_path)
    assert (tmp_path / "out.wld").read_text() == TEXT
    robot = wld.parse(TEXT).objects[0]
    again = wld.read(tmp_path / "out.wld").objects[0]
    assert again.field("Joint0").numbers(2) == (90.0, 0.0) == robot.field("Joint0").numbers(2)
    assert again.field("Selection").text.split()[0] == "12"


def test_its_cell_has_the_robot_the_cube_and_the_targets_where_ding_has_them(sample) -> None:
    snapshot, state = sample.snapshot(), sample.state
    assert sample.database.names("robot") == ["ABB IRB6400"]
    base = snapshot.base_pose(state, "ABB IRB6400")
    assert base.is_close(Pose.from_axis_angle((0, 0, 1), np.pi / 2), 1e-12, 1e-12)
    cube = snapshot.body_pose(state, snapshot.object_body("Cube 0"))
    assert cube.xyz == pytest.approx([0.1, 1.55, 0.7])
    assert sample.do('measure "Cube 0"').volume == pytest.approx(1.1005 * 0.3005 * 0.35)
    arm = snapshot.robot("ABB IRB6400").robot
    targets = sample.database.entities("target")
    assert [one.name[-1] for one in targets] == list("0123567")
    for target in targets:
        own = target.properties
        reached = base @ arm.fk(np.array(own["joints"]))
        assert reached.is_close(snapshot.place_pose(state, target.name), 5e-7, 5e-7)
    # Column 8 of Ding's tables; home is singular, where the sign of W is a name only.
    assert {one.properties["label"] for one in targets[:-1]} == {"---"}


def test_the_command_line_opens_converts_and_gives_the_same_file(tmp_path: Path) -> None:
    shutil.copy(SAMPLE, tmp_path / "a.wld")

    def run(*words: str) -> str:
        answer = CliRunner().invoke(main, list(words), catch_exceptions=False)
        assert answer.exit_code == 0, answer.output
        return answer.output

    for middle in ("b.cell", "b.celltext"):
        run("convert", f"{tmp_path}/a.wld", f"{tmp_path}/{middle}")
        run("convert", f"{tmp_path}/{middle}", f"{tmp_path}/{middle}.wld")
        assert (tmp_path / f"{middle}.wld").read_text() == TEXT
    (tmp_path / "lines.txt").write_text(f"save {tmp_path}/c.wld\n")
    run("shell", f"{tmp_path}/a.wld", "--script", f"{tmp_path}/lines.txt")
    assert (tmp_path / "c.wld").read_text() == TEXT
    with wc.Cell.open(tmp_path / "a.cell") as kept:
        assert kept.database.names("robot") == ["ABB IRB6400"]
    twice = CliRunner().invoke(main, ["shell", f"{tmp_path}/a.wld", "--script", f"{tmp_path}/lines.txt"])
    assert isinstance(twice.exception, FileProblem) or "already exists" in twice.output
    assert wc.Cell.copy_of(tmp_path / "a.wld").database.names("target")[0] == "TargetPoint 0"


def test_undo_replay_text_merge_and_rename_keep_it(sample, tmp_path: Path) -> None:
    assert sample.replayed().database.rows() == sample.database.rows()
    sample.do(f"save {tmp_path}/kept.celltext")
    other = wc.Cell()
    other.do(f"load {tmp_path}/kept.celltext")
    written(other, tmp_path, "merged.wld")
    assert (tmp_path / "merged.wld").read_text() == TEXT
    sample.do('modify robot:"ABB IRB6400" name Arm')
    sample.do('modify target:"TargetPoint 7" name Rest')
    sample.do('modify object:"Cube 0" name Table')
    file = written(sample, tmp_path)
    assert [file.objects[i].name for i in (0, 1, 8)] == ["Arm", "Table", "Rest"]
    assert file.objects[1].fields[:3] == wld.parse(TEXT).objects[1].fields[:3]
    for _ in range(3):
        sample.do("undo")
    assert wld.same_content(written(sample, tmp_path), wld.parse(TEXT))
    sample.do("undo")
    assert not sample.database.entities()


# ---- edits --------------------------------------------------------------------------------------------


def world_of(cell) -> dict[str, object]:
    """Where hands, objects and targets of a cell are, and what they are: what a file must give back."""
    snapshot, state, found = cell.snapshot(), cell.state, {}
    for placed in snapshot.robots:
        base, arm = snapshot.base_pose(state, placed.name), placed.robot
        rng = np.random.default_rng(3)
        turns = [np.zeros(arm.n), *rng.uniform(-1, 1, (4, arm.n))]
        found["robot", placed.name] = np.array([(base @ arm.fk(state.joints[placed.name] + dq)).matrix for dq in turns])
    for body, pose in zip(snapshot.bodies, snapshot.body_poses(state), strict=True):
        if body.link < 0:
            low, high = body.pieces[0].solid.moved(Pose(pose)).mesh().bounds
            volume = [sum(piece.solid.volume for piece in body.pieces)] * 3
            colour = [round(255 * v) for v in body.pieces[0].colour]
            found["object", body.owner] = np.array([low, high, np.array(volume), np.array(colour) * 1.0])
    for target in cell.database.entities("target"):
        found["target", target.name] = snapshot.place_pose(state, target.name).matrix
    return found


def assert_same_world(one, other) -> None:
    before, after = world_of(one), world_of(other)
    assert set(before) == set(after)
    for key, value in before.items():
        assert after[key] == pytest.approx(value, abs=1e-7), key


def assert_taught(cell) -> None:
    """Every target is reached with its own joint values by the robot that it hangs on."""
    snapshot, state = cell.snapshot(), cell.state
    for target in cell.database.entities("target"):
        robot = snapshot.carrier_under(target.name)
        hand = snapshot.base_pose(state, robot) @ snapshot.robot(robot).robot.fk(np.array(target.properties["joints"]))
        assert hand.is_close(snapshot.place_pose(state, target.name), 4e-7, 4e-7), target.name


def test_an_edited_cell_reads_back_as_it_is(sample, tmp_path: Path) -> None:
    for line in (
        'place object:"Cube 0" at 300,1600,500 rotate 10,20,30',
        'modify "Cube 0-solid" colour #123456',
        'modify "Cube 0-solid" shape box 400 300 200',
        'modify robot:"ABB IRB6400" name Ding',
        "place Ding at 100,-50,30 rotate 0,0,45",
        "add target new 1300,900,1200 euler fanuc_wpr 180,0,180 on Ding link 0",
        "modify Ding joints 10,80,5,0,20,0",
        "create robot Other irb120 at -3000,0,0 rotate 0,0,90",
        "add target there -2900,300,500 euler fanuc_wpr 180,0,90 on Other link 0",
        "add solid pin cylinder 30 200 at 500,500,100 rotate 30,0,0",
        "add solid hat cone 100 300 at 800,500,100 rotate 0,120,0",
        'detach Ding/"TargetPoint 3"',
        'remove target:"TargetPoint 3"',
        'copy target:"TargetPoint 5" as again',
        "attach again to Ding link 0 translate 1399.5,150.25,875.5 rotate 0,0,0",
    ):
        sample.do(line)
    sample.do("place again at 1000,800,900 euler fanuc_wpr 180,0,180")
    other = read_again(sample, tmp_path)
    assert_same_world(sample, other)
    assert_taught(other)
    # The robot still has its Joint0, and every target a copy of it.
    file = wld.read(tmp_path / "out.wld")
    assert file.objects[0].field("Joint0").numbers(2) == (90.0, 0.0)
    once_more = read_again(other, tmp_path)
    assert_same_world(other, once_more)
    assert wld.same_content(wld.read(tmp_path / "out.wld"), file)


def test_a_replaced_robot_gets_thetas_that_reach(sample, tmp_path: Path) -> None:
    sample.do('replace robot "ABB IRB6400" with irb6700')
    other = read_again(sample, tmp_path)
    assert_same_world(sample, other)
    assert_taught(other)


def test_a_target_that_cannot_be_reached_is_named(sample, tmp_path: Path) -> None:
    sample.do("add target far 9000,0,0")
    told = str(sample.do(f"export world {tmp_path}/far.wld"))
    assert "target 'far' is out of reach of 'ABB IRB6400'; its Thetas are those of home" in told


def test_what_the_format_cannot_hold_is_named(sample, tmp_path: Path) -> None:
    for line in (
        "add solid ball sphere 50 at 0,0,0",
        "add solid cut truncated-cone 20 40 60 at 500,0,0",
        "add rail track 2000",
        "create robot arm planar2r",
        "create block left box 10 10 10",
        "create block right cylinder 5 20",
        "create object pair",
        "attach left to pair as l translate -50,0,0",
        "attach right to pair as r translate 50,0,0",
        "place pair at 0,0,900",
        "create path seam",
        "create signal go",
        "add solid sight cone 10 90 at 0,0,1200 --ghost",
    ):
        sample.do(line)
    told = str(sample.do(f"export world {tmp_path}/out.wld"))
    for words in (
        "'ball' is left out: a work cell file can contain only boxes, cylinders and pointed cones",
        "'cut' is left out",
        "'sight' (a ghost) is left out",
        "robot 'arm' is left out: a work cell file can contain only arms with six turning joints",
        "object 'pair' is written as 2 separate objects",
        "left out: mechanism 'track'",
        "left out: path 'seam'",
        "left out: signal 'go'",
    ):
        assert words in told
    names = [item.name for item in wld.read(tmp_path / "out.wld").objects]
    assert names[-2:] == ["pair l", "pair r"]


@pytest.mark.parametrize("model", ["puma560", "puma260", "irb6400", "loeff6", "ur5e", "arcmate120il", "kr6", "xarm6"])
def test_every_arm_of_six_turning_joints_comes_back_with_its_hand(model: str, tmp_path: Path) -> None:
    cell = wc.Cell()
    cell.do(f"create robot arm {model} at 300,200,100 rotate 20,30,40")
    told = str(cell.do(f"export world {tmp_path}/out.wld"))
    other = wc.Cell()
    other.do(f"import world {tmp_path}/out.wld")
    assert "tool" not in told
    assert world_of(other)["robot", "arm"] == pytest.approx(world_of(cell)["robot", "arm"], abs=1e-7)


def test_a_tool_goes_into_the_last_row_or_is_named(cell, tmp_path: Path) -> None:
    cell.do("create robot arm irb6400")
    for line in ("create tool pen", "modify pen tcp 0,0,150", "fit tool pen to arm"):
        cell.do(line)
    other = read_again(cell, tmp_path)
    assert world_of(other)["robot", "arm"] == pytest.approx(world_of(cell)["robot", "arm"], abs=1e-7)
    cell.do("modify pen tcp 30,40,150 rotate 0,30,0")
    assert "the tool of 'arm' is left out" in str(cell.do(f"export world {tmp_path}/out.wld --replace"))


# ---- any file -----------------------------------------------------------------------------------------

WORDS = st.text(st.sampled_from("abcXYZ019 ._-+;:äЖ箱"), min_size=1, max_size=12).map(str.strip).filter(bool)
NUMBERS = st.one_of(
    st.floats(-2000, 2000).map(lambda v: f"{v:.6f}"), st.integers(-180, 180).map(str),
    st.sampled_from(["+5", "1e2", "-0.0", "90.000", ".5", "12.3456789012"]),
)  # fmt: skip
SIZES = st.one_of(st.floats(1, 900).map(lambda v: f"{v:.6f}"), st.sampled_from(["100", "2.5e2", "350.0"]))


def field(name: str, values: object, comment: str = "") -> st.SearchStrategy[str]:
    return values.map(lambda text: f"    {name} <{text} >{comment}\n")


def row(numbers: st.SearchStrategy[str], count: int) -> st.SearchStrategy[str]:
    return st.lists(numbers, min_size=count, max_size=count).map(" ".join)


def maybe(part: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(st.just(""), part)


UNIT = st.sampled_from(["0", "1.000000", "0.5", "0.333333", "0.123"])
COMMON = st.tuples(
    maybe(field("Name", WORDS)),
    maybe(field("Color", row(UNIT, 4), " // RGBA")),
    maybe(field("Origin", row(NUMBERS, 4))),
    maybe(field("Rotation", row(NUMBERS, 3))),
    maybe(field("Translate", row(NUMBERS, 3))),
    st.sampled_from(["", "    // by hand\n", "    Weight <12 kg >\n", "    Empty <>\n"]),
).map("".join)


def made(kind: str, *fields: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.tuples(*fields, COMMON).map(lambda parts: f"{kind} {{\n{''.join(parts)}}}\n")


OBJECTS = st.one_of(
    made(
        "C6RRobot",
        *(field(f"Joint{i}", row(NUMBERS, 4)) for i in range(1, 7)),
        maybe(field("Joint0", row(NUMBERS, 2))),
        maybe(field("Selection", st.just("12 22 34 42 51 62 72"))),
    ),
    made("C3dObjectCube", *(field(name, SIZES) for name in ("Depth", "Height", "Width"))),
    made("C3dObjectCylinder", *(field(name, SIZES) for name in ("Radius", "Height"))),
    made("C3dObjectCone", *(field(name, SIZES) for name in ("Radius", "Height"))),
    made(
        "C3dTargetPoint",
        field("Thetas", row(NUMBERS, 6)),
        field("Target", row(NUMBERS, 6)),
        maybe(field("Base", row(NUMBERS, 2))),
    ),
    made("CWindmill", field("Blades", st.just("3"))),
    st.just("// between\n"),
)
FILES = st.lists(OBJECTS, min_size=1, max_size=7).map(lambda parts: "// Version: 101\n" + "".join(parts))


def arm(row: str, more: str = "") -> str:
    """A robot whose joints have the same row."""
    return "C6RRobot {\n" + "".join(f"    Joint{k} <{row} >\n" for k in range(1, 7)) + more + "}\n"


POINT = "C3dTargetPoint {\n    Thetas <0 0 0 0 0 0 >\n    Target <0 0 0 0 0 0 >\n}\n"
CUBE = "C3dObjectCube {\n    Depth <1 >\n    Height <1 >\n    Width <1 >\n    Name <one >\n}\n"


@settings(max_examples=25, deadline=None)
@given(FILES)
@example(arm("0 0 0 0") + POINT)  # nothing of it has a length
@example(arm("0 0.001 0 0") + POINT)  # too small to be drawn
@example(CUBE + arm("0 100 0 90", "    Name <one >\n"))  # a robot and a solid of one name
def test_any_file_comes_out_as_it_went_in(tmp_path_factory, text: str) -> None:
    folder = tmp_path_factory.mktemp("any")
    (folder / "in.wld").write_text(text, encoding="utf-8")
    if wld.kind_of(text) != "wld":
        return
    cell = wc.Cell()
    cell.do(f"import world {folder}/in.wld")
    assert wld.same_content(written(cell, folder), wld.parse(text)), text
    for kind in ("robot", "object", "target", "frame"):
        assert len(cell.database.names(kind)) == len(set(cell.database.names(kind)))


@settings(max_examples=25, deadline=None)
@given(FILES, st.integers(0, 10_000), st.sampled_from(["<", "{", "}", ">", "x", "\0", "", "-"]))
def test_damage_is_refused_in_one_sentence_or_read(tmp_path_factory, text: str, at: int, put: str) -> None:
    folder = tmp_path_factory.mktemp("hurt")
    at %= len(text)
    hurt = text[:at] + put + (text[at + 1 :] if put else "")
    (folder / "in.wld").write_text(hurt, encoding="utf-8")
    cell = wc.Cell()
    said = ""
    try:
        cell.do(f"import world {folder}/in.wld")
    except WorkcellError as error:
        said = str(error)
    assert "\n" not in said
    assert not (said and cell.database.entities())


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("<300.500000 >", "<-300.500000 >", r"in.wld, line 17: The y size of a box must be greater than zero"),
        ("Joint3    <0.000000", "Joint3    <zero", r"in.wld: The field Joint3 in line 5 must hold numbers"),
        ("Joint3 ", "Joint9 ", r"in.wld: The C6RRobot 'ABB IRB6400' in line 2 has no field Joint3"),
        ("C3dObjectCube {", "C3dObjectCube", r"in.wld, line 1\d: expected"),
    ],
)
def test_damage_names_the_line(cell, tmp_path: Path, old: str, new: str, message: str) -> None:
    (tmp_path / "in.wld").write_text(TEXT.replace(old, new, 1))
    with pytest.raises(WorkcellError, match=message):
        cell.do(f"import world {tmp_path}/in.wld")
    assert not cell.database.entities()


def test_names_that_a_cell_cannot_have_are_labels(cell, tmp_path: Path) -> None:
    text = TEXT.replace("<Cube 0 >", "<Würfel #1 (alt) >").replace("<TargetPoint 1 >", "<TargetPoint 0 >")
    text = text.replace("<TargetPoint 2 >", "<P.2 >").replace("<ABB IRB6400 >", "<robot >")
    (tmp_path / "in.wld").write_bytes(text.encode("cp1252"))
    cell.do(f"import world {tmp_path}/in.wld")
    assert cell.database.entity("object", "Würfel -1 -alt").properties["label"] == "Würfel #1 (alt)"
    assert {"TargetPoint 0", "TargetPoint 0-2", "P-2"} <= set(cell.database.names("target"))
    assert wld.same_content(written(cell, tmp_path), wld.parse(text))


def test_a_second_world_stands_beside_the_first(sample, tmp_path: Path) -> None:
    sample.do(f"import world {tmp_path}/in.wld prefix b- at 0,5000,0 rotate 0,0,90")
    other = read_again(sample, tmp_path)
    first = world_of(sample)
    assert {name for _, name in first} >= {"ABB IRB6400", "b-ABB IRB6400", "b-TargetPoint 7"}
    assert_same_world(sample, other)
    assert_taught(other)


def test_a_copied_robot_takes_its_targets_along(sample, tmp_path: Path) -> None:
    sample.do('copy robot:"ABB IRB6400" as Twin --targets')
    whose = [(one.name.startswith("Twin-"), one.properties["robot"]) for one in sample.database.entities("target")]
    assert set(whose) == {(False, "ABB IRB6400"), (True, "Twin")}
    assert sample.replayed().database.rows() == sample.database.rows()
    sample.do("place Twin at 0,5000,0 rotate 0,0,30")
    told = str(sample.do(f"export world {tmp_path}/out.wld"))
    assert "out of reach" not in told
    other = wc.Cell()
    other.do(f"import world {tmp_path}/out.wld")
    assert_same_world(sample, other)
    assert_taught(other)


def test_what_is_seen_through_stays_so(cell, tmp_path: Path) -> None:
    colour = "<0.000000 1.000000 0.000000 1.000000 >"
    first, second = TEXT.split("C3dObjectCube", 1)
    text = first + "C3dObjectCube" + second.replace(colour, "<0.2 0.4 0.6 0.25 >", 1)
    (tmp_path / "in.wld").write_text(text)
    cell.do(f"import world {tmp_path}/in.wld")
    assert cell.snapshot().body("Cube 0").pieces[0].opacity == pytest.approx(0.25)
    assert wld.same_content(written(cell, tmp_path), wld.parse(text))
    cell.do('modify object:"Cube 0" transparency 0.5')
    assert written(cell, tmp_path).objects[1].field("Color").numbers(4) == pytest.approx((0.2, 0.4, 0.6, 0.5))


def test_a_work_cell_file_is_not_opened_as_a_cell() -> None:
    with pytest.raises(NotACell, match=r"is one of Ding's work cell files; `Cell\.copy_of"):
        wc.Cell.open(SAMPLE)


def test_clients_use_files_of_the_cell_s_folder_only(tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    shutil.copy(SAMPLE, tmp_path / "inside" / "a.wld")
    shutil.copy(SAMPLE, tmp_path / "b.wld")
    cell = wc.Cell()
    cell.session.files = cell.session.files.confined_to([tmp_path / "inside"])
    cell.do("import world a.wld")
    cell.do("export world c.wld")
    assert (tmp_path / "inside" / "c.wld").read_text() == TEXT
    for line in ("import world ../b.wld", "export world ../d.wld", f"export world {tmp_path}/d.wld"):
        with pytest.raises(FileProblem, match="outside"):
            cell.do(line)
    with pytest.raises(FileProblem, match="already exists"):
        cell.do("export world c.wld")
    with pytest.raises(Refused, match=r"import world a\.wld"):
        cell.do("load a.wld")
