"""Values that no command gives, written into the text of a cell: refused with their line, or harmless."""

from __future__ import annotations

import contextlib
import random
import re

import pytest

from workcell.commands.cell import Cell
from workcell.errors import DamagedCell, WorkcellError
from workcell.world.database import Database
from workcell.world.text_form import from_text, to_text

CELL = """
create robot Arm puma560
create robot Other puma560 at 0,3000,0
create robot Third puma560 at 0,6000,0
add conveyor belt 2000 at 0,1000,0
add rail track 3000 at 0,-2500,0
mount Third on track
add solid cube box 40 40 40 at 500,-150,20 --movable
add solid box1 box 100 80 60 at 0,-500,30 --movable
add solid flange cylinder 50 20 at 1500,1500,500 --movable
ride flange on track
modify cube mass 0.2
create material steel
modify steel density 7850
modify box1 material steel
create gripper vac
modify vac holds suction
modify vac cups 0,0,80
modify vac diameter 40
modify vac stroke 5
modify vac lip 2
modify vac safety 2
modify vac friction 0.5
modify vac acceleration 1
fit tool vac to Other
create gripper jaw
modify jaw opening 100
modify jaw reach 120
modify jaw close_time 0.2
fit tool jaw to Third
add target f 0,0,100 on Arm link 3
add target T1 500,-150,200 euler fanuc_wpr 180,0,180
learn target here from Arm
create path weld
add target W1 500,100,200 euler fanuc_wpr 180,0,180 to weld
add zone door box 400 1500 2000 at 2900,0,1000 rule slow-down speed 0.2
add zone press box 400 400 400 at 2700,0,200 rule shared capacity 1
add light-barrier gate from 700,-400,450 to 700,400,450
add light-barrier beam length 120 on Arm sees cube
create signal ready
add source feed of box1 on belt every 2s stock 2
add sink out on belt
add fault jam of Arm stops at 90s lasts 2s
add fault oil of cube slips slip 0,0,-5 chance 0.05 seed 3
create machine Line of track of Third
create light lamp
modify lamp brightness 1
create colour mine
modify mine rgb 0.1,0.2,0.3
modify belt runs 0.1
modify Arm joints 0,0,-90,0,90,0
speed Arm 2rad/s
create program p
modify p text "move-joints-absolute Arm 5,0,-90,0,90,0"
create task shift
attach p to shift
"""
BAD = (
    "-1", "0", "0.5", "99", "1e308", "-1e308", "1e17", '"x"', '""', '"glue"', "null", "true", "[]", "{}", "[{}]", "[null]",
    "[-1]", "[1e308]", "[0.0,-1e308,0.0,0.0,0.0,0.0]", "[100.0,0.0,0.0,0.0,0.0,0.0]", "[0,0,0]", '["x"]',
    "[0,0,0,0,0,0,0,0,0,0,0,0]", "[1e308,0,0,0,1,0,0,0,1,0,0,0]", "[1e308,1e308,1e308]", '{"si":1}',
    '{"quantity":"length","si":"x"}', '{"quantity":"ell","si":1}', "12345678901234567890123", '"a,b,,"', '"\\u0000"',
)  # fmt: skip
LINE = re.compile(r"^(property|shape) .+? = ")


@pytest.fixture(scope="module")
def text() -> str:
    with Cell() as cell:
        for line in CELL.strip().splitlines():
            cell.do(line)
        return to_text(cell.database)


def places(text: str) -> list[int]:
    """The lines with the properties of anything and with what the shapes of robots are, counted from 0."""
    found, kind = [], ""
    for number, line in enumerate(text.split("\n")):
        kind = line[1:].split()[0] if line.startswith("[") else kind
        if LINE.match(line) and (line.startswith("property") or (kind != "block" and "shape kind" in line)):
            found.append(number)
    return found


def spoilt(text: str, number: int, value: str) -> str:
    """The text with another value at the end of a line, counted from 0."""
    lines = text.split("\n")
    lines[number] = LINE.match(lines[number])[0] + value
    return "\n".join(lines)


def place(text: str, kind: str, name: str, field: str) -> int:
    """The line of a field of the first thing of a kind whose block begins with some words, counted from 0."""
    block = text.index(f'name = "{name}"\n', text.index(f"\n[{kind} ")) if name else text.index(f"\n[{kind} ")
    return text.count("\n", 0, text.index(f"\n{field} = ", block)) + 1


def opened(text: str) -> Cell:
    database = Database.memory()
    from_text(text, database)
    return Cell(Database(database.store))


def use(cell: Cell) -> None:
    """Do what people do first with a cell; each may be refused."""
    for line in ("list", "where Arm", "where f", "check program p", "run p"):
        with contextlib.suppress(WorkcellError):
            cell.do(line)
    with contextlib.suppress(WorkcellError):
        cell.snapshot()


def fuzz(text: str, seed: int, count: int) -> None:
    """Each bad value in some line: refused, or the cell can be used. Any other exception is a failure."""
    chance, lines = random.Random(seed), places(text)
    refused = 0
    for _ in range(count):
        bad = spoilt(text, chance.choice(lines), chance.choice(BAD))
        try:
            cell = opened(bad)
        except DamagedCell:
            refused += 1
            continue
        with cell:
            use(cell)
    assert 0 < refused < count, "some values are refused and some are harmless"


def test_a_bad_value_is_refused_or_harmless(text):
    fuzz(text, 1, 60)


@pytest.mark.soak
def test_many_bad_values_are_refused_or_harmless(text):
    fuzz(text, 2, 1500)


@pytest.mark.parametrize(
    ("kind", "name", "field", "value", "said"),
    [
        ("gripper", "vac", "property holds", '"glue"', "the holds of gripper 'vac' must be one of fingers, suction"),
        ("gripper", "vac", "property lip", '"x"', "the lip of gripper 'vac' must be a row of numbers; found 'x'"),
        ("gripper", "vac", "property lip", "-1", "the lip of gripper 'vac' must be a row of numbers; found -1"),
        ("gripper", "vac", "property diameter", "[{}]", "the diameter of gripper 'vac' must be a row of numbers"),
        ("robot", "", "property link", "null", "must be a whole number, counted from 0; found None"),
        ("robot", "", "property link", "99", r"must be from 0 \(base\) to 6; found 99"),
        ("robot", "Arm", "shape kind", "-1", "the kind of the shape of robot 'Arm' must be a text; found -1"),
        ("robot", "Arm", "shape kind", "[null]", "the kind of the shape of robot 'Arm' must be a text"),
        ("robot", "Arm", "property joints", "[0,-1e308,0,0,0,0]", "the joints of robot 'Arm' must be from -1e\\+06"),
    ],
)
def test_a_value_that_no_command_gives_is_refused_with_its_line(text, kind, name, field, value, said):
    at = place(text, kind, name, field)
    with pytest.raises(DamagedCell) as refused:
        opened(spoilt(text, at, value))
    assert refused.value.lines == [at + 1]
    assert re.search(said, refused.value.problems[0]), refused.value.problems


@pytest.mark.parametrize("value", ['"x"', "7", "[null]"])
def test_a_program_with_damaged_units_is_kept_and_refused_when_it_is_used(text, value):
    """Its lines can still be read and taken over."""
    with opened(spoilt(text, place(text, "program", "p", "property units"), value)) as cell:
        for line in ("check program p", "run p"):
            with pytest.raises(WorkcellError, match="units of program 'p' are damaged"):
                cell.do(line)


def test_joints_out_of_range_are_kept_and_can_be_used(text):
    """Limits may have been tightened since a start was kept: such a cell opens, and commands say what is wrong."""
    with opened(spoilt(text, place(text, "robot", "Arm", "property joints"), "[100.0,0.0,0.0,0.0,0.0,0.0]")) as cell:
        use(cell)
        assert cell.do("where Arm")


def test_commands_refuse_what_a_file_is_refused_for(text):
    with opened(text) as cell:
        with pytest.raises(WorkcellError, match="joints of target 'here' must be from -1e"):
            cell.do("modify here joints 1e9rad,0,0,0,0,0")
        with pytest.raises(WorkcellError):
            cell.do("modify belt joints 1e12m")
