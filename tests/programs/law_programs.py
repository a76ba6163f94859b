"""Random programs for the law that every way to run a program records the same: cells, and steps that fit them."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field

import numpy as np

import workcell as wc
from workcell.programs import expressions as e
from workcell.programs import steps as s
from workcell.programs.program import Parameter, Program

COMMON = (
    "create signal ready", "create signal count", "create signal part",
    "add zone press box 100 100 100 at 9000,9000,500 rule shared", "add fault lame of A slow part 0.4",
)  # fmt: skip
PLACES = (
    "create target spot",
    "place spot at 450,0,300 rotate 180,0,0",
    "create frame fixture",
    "place fixture at 430,-60,260 rotate 180,0,20",
    "targets along-curve arc normal 0,0,1 through (420,-100,300) (470,0,330) (420,100,300) spacing 60",
)


@dataclass(frozen=True)
class Setting:
    """A cell for random programs.

    Attributes:
        lines: the commands that make it.
        arms: robots with a hand, and the joint values [deg] that poses are taken near.
        devices: robots and mechanisms of which joints move only, with how far [deg or mm].
        solids: free solids, and where they stand [mm].
        grips: whether parts can be taken at `picks`.
        welds: whether there is a seam to weld.
        belt: a conveyor to run, if there is one.
        share: how often it is taken.
    """

    lines: tuple[str, ...]
    arms: dict[str, tuple[float, ...]]
    devices: dict[str, float] = field(default_factory=dict)
    solids: dict[str, tuple[float, float, float]] = field(default_factory=dict)
    picks: tuple[tuple[float, float, float], ...] = ()
    places: bool = True
    welds: bool = False
    belt: str = ""
    share: int = 8


PUMA = (0.0, 0.0, -90.0, 0.0, 90.0, 0.0)
FANUC = (0.0, 0.0, 0.0, 0.0, -60.0, 0.0)
UR = (0.0, -90.0, 90.0, -90.0, -90.0, 0.0)


def _home(values: tuple[float, ...]) -> str:
    return ",".join(f"{value:g}" for value in values)


SETTINGS: dict[str, Setting] = {
    "two pumas": Setting(
        (f"create robot A puma560 joints {_home(PUMA)}", f"create robot B puma560 at 0,2000,0 joints {_home(PUMA)}",
         *PLACES, "add solid crate box 80 80 80 at 0,900,600 --movable"),
        {"A": PUMA, "B": PUMA}, solids={"crate": (0.0, 900.0, 600.0)},
    ),
    "joint by joint": Setting(
        (f"create robot A puma560 joints {_home(PUMA)}", *PLACES, "mode joint-by-joint", "step 4deg",
         "default-profile 345"), {"A": PUMA},
    ),
    "watched": Setting(
        (f"create robot A lrmate200id at 0,0,0 joints {_home(FANUC)}", "add solid post box 120 120 900 at 420,260,450",
         "add solid box1 box 60 60 60 at 700,900,400 --movable", *PLACES, "watch yes", "step 3deg"),
        {"A": FANUC}, solids={"box1": (700.0, 900.0, 400.0)}, share=4,
    ),
    "slowed": Setting(
        (f"create robot A ur5e joints {_home(UR)}", "add zone door box 500 500 1500 at 500,-200,500 rule slow-down speed 0.3",
         *PLACES, "step 5deg"), {"A": UR}, share=5,
    ),
    "certified": Setting(
        (f"create robot A puma560 joints {_home(PUMA)}", "add solid post box 100 100 500 at 350,500,250", *PLACES,
         "watch certified --allow-undecided"), {"A": PUMA}, share=1,
    ),
    "rail": Setting(
        ("add rail track 2000", f"create robot A puma560 joints {_home(PUMA)}", "mount A on track",
         "add positioner Table at 900,900,0", "add solid plate box 100 100 20 at 900,900,900 --movable",
         "add conveyor Band 3000 at 0,2500,0", "add solid parcel box 80 80 80 at 500,2500,740 --movable",
         "add light-barrier gate from 560,2350,740 to 560,2650,740", "add encoder counts on Band joint 1 resolution 5mm",
         "add encoder way on track joint 1 resolution 20mm", "add proximity-sensor near distance 120 at 900,900,900", *PLACES),
        {"A": PUMA}, {"track": 200.0, "Table": 40.0}, {"plate": (900.0, 900.0, 900.0)}, places=False, belt="Band",
    ),
    "pallet": Setting(
        ("create robot A puma560", *(f"add solid box{k} box 40 40 40 at 500,{-150 + 75 * k},20 --movable" for k in range(3)),
         "add solid pallet box 300 400 20 at 500,-75,-10", *PLACES, "watch yes", "step 3deg"),
        {"A": PUMA}, picks=tuple((500.0, -150.0 + 75.0 * k, 20.0) for k in range(3)), share=5,
    ),
    "welder": Setting(
        ("create robot A irb140 at 0,0,600", "add positioner Table at 700,0,0", "create block plate box 300 300 12",
         "create block pipe cylinder 70 120", "combine flange union plate pipe translate 0,0,66",
         "place flange at 700,0,918", "create tool torch", "fit tool torch to A tcp 0,0,250",
         "targets along-edge flange plate.top add1:pipe.side to seam spacing 20 tilt 10 gap 2 --even"),
        {"A": (0.0, 0.0, 0.0, 0.0, 30.0, 0.0)}, {"Table": 20.0}, places=False, welds=True, share=2,
    ),
}  # fmt: skip


def built(name: str) -> wc.Cell:
    """The cell of that name."""
    cell = wc.Cell()
    for line in (*SETTINGS[name].lines, *COMMON):
        cell.do(line)
    return cell


def number(value: float, unit: str = "") -> e.Number:
    return e.Number(round(float(value), 3) + 0.0, unit)


def row(*values: float, unit: str = "") -> e.Row:
    return e.Row(tuple(number(value) for value in values), unit)


@dataclass
class Made:
    """A random program: its cell, whether it is straight, the program and those that it calls."""

    cell: str
    straight: bool
    main: Program
    others: tuple[Program, ...] = ()


class Programs:
    """Random programs from one seed.

    Args:
        seed: of the numbers.
        cells: the cells by name, already built.
        table: the name of a table that an arm at PUMA can follow.
    """

    def __init__(self, seed: int, cells: dict[str, wc.Cell], table: str) -> None:
        self.random = random.Random(seed)
        self.cells = cells
        self.table = table
        self.name = ""
        self.plain = True
        """Whether expressions are written out and only steps that can be typed are taken."""

    def made(self) -> Made:
        """The next program."""
        names = [name for name in self.cells for _ in range(SETTINGS[name].share)]
        self.name, self.plain = self.random.choice(names), self.random.random() < 0.6
        if self.plain:
            body = tuple(self.block(self.random.randint(3, 6)))
            return Made(self.name, True, Program("law", (), body))
        sub = Program("sub", (Parameter("by", "angle"), Parameter("who", "text", e.Text("x"))), self.called())
        body = [s.Let("n", number(2)), *self.block(1), *self.controlled(), *self.block(1)]
        if self.random.random() < 0.3:
            body.append(self.random.choice([s.Return(), s.Stop()]))
        return Made(self.name, False, Program("law", (), tuple(body)), (sub,))

    def block(self, count: int) -> list[s.Step]:
        """Steps that follow each other."""
        out: list[s.Step] = []
        while len(out) < count:
            out += self.step()
        return out

    # ---- values -----------------------------------------------------------------------------------------

    @property
    def setting(self) -> Setting:
        return SETTINGS[self.name]

    def arm(self) -> str:
        return self.random.choice(sorted(self.setting.arms))

    def device(self) -> str:
        return self.random.choice([*self.setting.arms, *self.setting.devices])

    def near(self, robot: str, spread: float) -> list[float]:
        """Joint values near those that a robot begins with [deg or mm]; sometimes far out."""
        base = self.setting.arms.get(robot)
        if base is None:
            n = 1 if robot == "track" else 2
            base, spread = (abs(self.setting.devices[robot]),) * n, self.setting.devices[robot]
        if self.random.random() < 0.04:
            spread *= 12
        return [value + self.random.uniform(-spread, spread) for value in base]

    def pose(self, robot: str, spread: float = 18.0) -> e.Expression:
        """A pose that a hand can reach, mostly."""
        if self.setting.places and self.random.random() < 0.25:
            name = self.random.choice(["spot", "fixture"])
            if self.plain or self.random.random() < 0.5:
                return e.Name(name)
            return e.Posed(e.Name(name), None, (e.Form("translate", (row(0, 0, -self.random.randint(0, 60)),)),))
        snapshot = self.cells[self.name].snapshot()
        q = np.radians([value + self.random.uniform(-spread, spread) for value in self.setting.arms[robot]])
        found = snapshot.base_pose(snapshot.initial, robot) @ snapshot.robot(robot).robot.fk(q)
        angles = [math.degrees(angle) for angle in found.angles("fanuc_wpr")]
        if self.random.random() < 0.03:
            return e.Posed(None, row(9000, 0, 0))
        return e.Posed(None, row(*(found.xyz * 1e3)), (e.Form("euler", (row(*angles),), "fanuc_wpr"),))

    def profile(self) -> str:
        return self.random.choice(["", "", "", "linear", "345", "trapezoid", "jerk", "time-optimal"])

    def hand_speed(self) -> e.Number | None:
        return number(self.random.uniform(80, 400), "mm/s") if self.random.random() < 0.3 else None

    # ---- steps ------------------------------------------------------------------------------------------

    def step(self) -> list[s.Step]:
        """One step, or a few that belong together."""
        kinds = [self.absolute, self.relative, self.relative, self.to_pose, self.to_pose, self.line, self.circle,
                 self.path, self.hand, self.approach, self.home, self.function, self.signal, self.wait, self.message,
                 self.speeds, self.process, self.set_joints, self.remark]  # fmt: skip
        if len(self.setting.arms) + len(self.setting.devices) > 1:
            kinds += [self.together] * 2
        if self.setting.solids:
            kinds += [self.solid] * 2
        if self.setting.devices and self.setting.solids:
            kinds += [self.ride] * 2
        if self.setting.belt:
            kinds += [self.belt] * 4
        if self.setting.picks:
            kinds += [self.pick] * 8
        if self.setting.arms.get("A") == PUMA and self.setting.places:
            kinds += [self.follow_table]
        if self.setting.places:
            kinds += [self.along]
        kinds += [self.free_path, self.guided]
        if len(self.setting.arms) > 1:
            kinds += [self.free_paths]
        if self.setting.welds:
            kinds = [self.weld, self.relative, self.signal]
        return self.random.choice(kinds)()

    def belt(self) -> list[s.Step]:
        belt, reached = self.setting.belt, self.random.random() < 0.3
        speed = number(self.random.choice([-1, 1]) * self.random.uniform(0, 500), "mm/s")
        stop = s.StopConveyor(belt, self.random.random() < 0.5)
        return self.random.choice([[s.RunConveyor(belt, speed, reached)], [stop], [stop, s.Ride("parcel", belt)]])

    def absolute(self) -> list[s.Step]:
        robot = self.device()
        return [s.MoveJointsAbsolute(robot, row(*self.near(robot, 25)), self.profile())]

    def relative(self) -> list[s.Step]:
        robot = self.device()
        count = len(self.near(robot, 0))
        reach = 60.0 if robot == "track" else 15.0
        values = [self.random.choice([0.0, self.random.uniform(-reach, reach)]) for _ in range(count)]
        items: list[e.Expression] = [number(value) for value in values]
        if not self.plain:
            items[0] = e.Binary("*", number(values[0] / 4), e.Name("n"))
        return [s.MoveJointsRelative(robot, e.Row(tuple(items)), self.profile())]

    def set_joints(self) -> list[s.Step]:
        robot = self.device()
        return [s.SetJoints(robot, row(*self.near(robot, 5)))]

    def home(self) -> list[s.Step]:
        return [s.Home(self.device(), self.profile())]

    def to_pose(self) -> list[s.Step]:
        robot = self.arm()
        branch = self.random.choice(["", "", "nearest", "roomiest"])
        return [s.MoveEndEffector(robot, self.pose(robot), branch, profile=self.profile())]

    def line(self) -> list[s.Step]:
        robot = self.arm()
        keep = self.random.choice(["interpolate", "keep"])
        step = number(25, "mm") if self.random.random() < 0.15 else None
        tolerance = number(0.02, "mm") if self.random.random() < 0.2 else None
        line = s.MoveStraightLine(robot, self.pose(robot, 8), keep, tolerance, step, self.hand_speed(), self.profile())
        return [s.MoveEndEffector(robot, self.pose(robot, 8), "nearest"), line]

    def circle(self) -> list[s.Step]:
        robot = self.arm()
        via, end = self.pose(robot, 8), self.pose(robot, 8)
        orientation = self.random.choice(["interpolate", "keep"])
        return [s.MoveCircular(robot, via, end, orientation, self.hand_speed(), self.profile())]

    def path(self) -> list[s.Step]:
        robot = self.arm()
        poses = tuple(self.pose(robot, 8) for _ in range(self.random.randint(1, 3)))
        radius = number(self.random.uniform(1, 10), "mm") if self.random.random() < 0.5 else None
        return [s.MovePath(robot, poses, radius, "keep", self.hand_speed(), self.profile())]

    def hand(self) -> list[s.Step]:
        robot = self.arm()
        by = e.Posed(None, row(*(self.random.uniform(-25, 25) for _ in range(3))))
        if self.random.random() < 0.3:
            by = e.Posed(None, None, (e.Form("rotate", (row(0, 0, self.random.uniform(-15, 15)),)),))
        frame = self.random.choice(["hand", "world"])
        return [s.MoveHand(robot, by, frame, self.hand_speed(), self.profile())]

    def approach(self) -> list[s.Step]:
        robot = self.arm()
        steps: list[s.Step] = [s.Approach(robot, self.pose(robot, 8), number(self.random.uniform(10, 40), "mm"))]
        if self.random.random() < 0.6:
            steps.append(s.Retract(robot, number(self.random.uniform(5, 20), "mm"), self.hand_speed()))
        return steps

    def along(self) -> list[s.Step]:
        return [s.MoveAlong(self.arm() if len(self.setting.arms) == 1 else "A", "arc", number(120, "mm/s"))]

    def free_path(self) -> list[s.Step]:
        robot = self.arm()
        return [self._search(robot, display_tries=self.random.random() < 0.3)]

    def free_paths(self) -> list[s.Step]:
        ranked = self.random.random() < 0.5
        robots = sorted(self.setting.arms)
        return [s.Together(tuple(self._search(one, priority=number(k) if ranked else None)
                                 for k, one in enumerate(robots)))]  # fmt: skip

    def _search(self, robot: str, **given: object) -> s.FindPath:
        """A path to joints, or to one of up to two poses of the hand."""
        some = {"seed": number(self.random.randint(0, 3)), "budget": number(0.5, "s"), **given}
        if self.random.random() < 0.5:
            return s.FindPath(robot, joints=row(*self.near(robot, 25)), **some)
        poses = tuple(self.pose(robot) for _ in range(self.random.randint(1, 2)))
        if self.random.random() < 0.3:
            return s.FindPath(robot, poses=poses[:1], branch="nearest", **some)
        return s.FindPath(robot, poses=poses, free=self.random.choice(["", "rz"]), **some)

    def guided(self) -> list[s.Step]:
        robot = self.arm()
        given = self.random.choice([{}, {"keep": number(30, "mm")}, {"resolution": number(0.05, "deg")}])
        position, speed = self.random.random() < 0.5, number(self.random.uniform(200, 400), "mm/s")
        return [s.Guide(robot, self.pose(robot, 6), speed=speed, within=number(1.5, "s"), position=position, **given)]

    def weld(self) -> list[s.Step]:
        return [s.Ride("flange", "Table"), s.Weld("A", "Table", "seam", number(25, "mm/s"), number(0.05, "mm"))]

    def function(self) -> list[s.Step]:
        robot = self.device()
        joint, size = self.random.randint(1, len(self.near(robot, 0))), self.random.randint(2, 8)
        return [s.FollowFunction(robot, number(joint), f"{size}*sin(t)", number(self.random.uniform(0.5, 1.5), "s"),
                                 any_acceleration=True)]  # fmt: skip

    def follow_table(self) -> list[s.Step]:
        begin = s.MoveJointsAbsolute("A", row(*PUMA))
        return [begin, s.FollowTable("A", self.table, between=self.random.choice(["cubic", "linear"]),
                                     until_limit=self.random.random() < 0.3, any_acceleration=True)]  # fmt: skip

    def solid(self) -> list[s.Step]:
        name, place = self.random.choice(list(self.setting.solids.items()))
        poses = tuple(
            e.Posed(None, row(*(value + self.random.uniform(-60, 60) for value in place)))
            for _ in range(self.random.randint(1, 2))
        )
        if len(poses) > 1:
            swing = s.MoveJointsRelative("A", row(5, 0, 0, 0, 0, 0))
            free = s.MoveSolid(name, poses, duration=number(2, "s"), acceleration=number(3))
            return [s.GripPart(name, "A"), swing, s.ReleasePart(name), free]
        if self.random.random() < 0.5:
            return [s.MoveSolid(name, poses, speed=number(self.random.uniform(50, 200), "mm/s"))]
        return [s.MoveSolid(name, poses, duration=number(self.random.uniform(1, 3), "s"), acceleration=number(3))]

    def ride(self) -> list[s.Step]:
        return [s.Ride(self.random.choice(list(self.setting.solids)), "Table")]

    def pick(self) -> list[s.Step]:
        def above(x: float, y: float, z: float) -> e.Posed:
            return e.Posed(None, row(x, y, z), (e.Form("euler", (row(180, 0, 180),), "fanuc_wpr"),))

        x, y, z = self.random.choice(self.setting.picks)
        off = self.random.choice([0.0, 0.0, 3.0, 60.0])
        steps: list[s.Step] = [
            s.MoveEndEffector("A", above(x + off, y, z + 80), point="grip"),
            s.MoveStraightLine("A", above(x + off, y, z), point="grip"),
            s.CloseGripper("A", number(8, "mm") if self.random.random() < 0.5 else None),
            s.Retract("A", number(60, "mm"), point="grip"),
        ]
        if self.random.random() < 0.7:
            steps += [
                s.MoveEndEffector("A", above(420, self.random.uniform(50, 150), 120), point="grip"),
                s.OpenGripper("A", settle=self.random.random() < 0.6),
            ]
        return steps

    def signal(self) -> list[s.Step]:
        name, value = self.random.choice(["ready", "count", "part"]), number(self.random.randint(0, 3))
        steps: list[s.Step] = [s.SetSignal(name, value)]
        if self.random.random() < 0.4:
            steps.append(s.WaitFor(name, value))
        return steps

    def wait(self) -> list[s.Step]:
        unit = self.random.choice(["", "s", "ms"])
        return [s.Wait(number(self.random.uniform(0, 900 if unit == "ms" else 0.9), unit))]

    def message(self) -> list[s.Step]:
        if self.plain:
            return [s.Message(e.Text(self.random.choice(["on", "a part", 'say "x"', "é 100 %"])))]
        return [s.Message(e.Binary("+", e.Text("n is "), e.Name("n")))]

    def remark(self) -> list[s.Step]:
        return [self.random.choice([s.Comment("a remark"), s.Verbatim("rapid", "MoveL p1;"), s.Comment("")])]

    def process(self) -> list[s.Step]:
        return [s.Process(self.arm(), self.random.choice(["on", "off"]), self.random.choice(["", "glue"]))]

    def speeds(self) -> list[s.Step]:
        robot = self.arm()
        return [self.random.choice([
            s.Speed(robot, number(self.random.uniform(0.3, 1.2), "rad/s")),
            s.Profile(robot, self.random.choice(["linear", "345", "trapezoid", "jerk", "time-optimal"])),
            s.Branch(robot, self.random.choice(["nearest", "roomiest"])),
        ])]  # fmt: skip

    def together(self) -> list[s.Step]:
        one, other = self.random.sample([*self.setting.arms, *self.setting.devices], 2)
        moves: list[s.Step] = [s.MoveJointsAbsolute(one, row(*self.near(one, 15)), self.profile())]
        moves.append(
            s.MoveJointsAbsolute(other, row(*self.near(other, 15))) if self.random.random() < 0.6 else s.Home(other)
        )
        return [s.Together(tuple(moves))]

    # ---- order ------------------------------------------------------------------------------------------

    def called(self) -> tuple[s.Step, ...]:
        robot = self.arm()
        zeros = [number(0)] * (len(self.setting.arms[robot]) - 1)
        body: list[s.Step] = [
            s.MoveJointsRelative(robot, e.Row((e.Name("by"), *zeros))),
            s.Message(e.Binary("+", e.Name("who"), e.Name("by"))),
        ]
        if self.random.random() < 0.3:
            body.append(s.If((s.Arm(e.Binary(">", e.Name("by"), number(4, "deg")), (s.Return(),)),)))
        body.append(s.SetSignal("part", number(self.random.randint(0, 3))))
        return tuple(body)

    def condition(self) -> e.Expression:
        name = e.Name(self.random.choice(["ready", "count", "n"]))
        return e.Binary(self.random.choice([">", "=", "<="]), name, number(self.random.randint(0, 3)))

    def controlled(self) -> list[s.Step]:
        """A block of order."""
        kinds = [self.branching, self.counting, self.looping, self.calling, self.trying, self.settings, self.waiting,
                 self.side_by_side, self.waiting_long, self.steering, self.steering, self.sharing]  # fmt: skip
        return self.random.choice(kinds)()

    def branching(self) -> list[s.Step]:
        arms = tuple(s.Arm(self.condition(), tuple(self.block(1))) for _ in range(self.random.randint(1, 2)))
        return [s.If(arms, tuple(self.block(1)))]

    def counting(self) -> list[s.Step]:
        if self.setting.places and self.random.random() < 0.4:
            robot = "A"
            return [s.ForEach("at", "arc", (s.MoveEndEffector(robot, e.Name("at"), "nearest"),))]
        by = number(-1) if self.random.random() < 0.3 else None
        first, last = (3, 2) if by else (1, 2)
        return [s.For("n", number(first), number(last), tuple(self.block(1)), by)]

    def looping(self) -> list[s.Step]:
        grow = s.Let("n", e.Binary("+", e.Name("n"), number(1)))
        if self.random.random() < 0.5:
            return [s.Repeat(number(2), (grow, *self.block(1)))]
        return [s.While(e.Binary("<", e.Name("n"), number(4)), (grow, *self.block(1)))]

    def calling(self) -> list[s.Step]:
        return [s.Call("sub", (number(self.random.uniform(2, 8), "deg"), e.Text("went ")))]

    def trying(self) -> list[s.Step]:
        robot = self.arm()
        count = len(self.setting.arms[robot])
        wrong = s.MoveJointsAbsolute(
            robot, e.Row((e.Binary("*", number(400), e.Name("n")), *[number(0)] * (count - 1)))
        )
        wild = self.random.choice([wrong, s.MoveStraightLine(robot, self.pose(robot, 30)), s.CloseGripper(robot)])
        return [s.Try((*self.block(1), wild), (s.Message(e.Name("why")), *self.block(1)), "why")]

    def settings(self) -> list[s.Step]:
        robot = self.arm()
        if not self.setting.places:
            return [s.Rounding(robot, number(4)), *self.path()]
        tip = e.Posed(None, row(0, 0, self.random.randint(20, 90)))
        move = s.MoveEndEffector(
            robot, e.Posed(None, row(*(self.random.uniform(-30, 30) for _ in range(3)))), "nearest"
        )
        chosen = self.random.choice([[s.Frame(e.Name("fixture"))], [s.Frame(e.Name("fixture")), s.Tool(robot, tip)]])
        after = [s.Tool(robot), s.Frame()] if self.random.random() < 0.5 else []
        return [*chosen, move, s.MoveHand(robot, e.Posed(None, row(0, 0, -10))), *after]

    def waiting(self) -> list[s.Step]:
        return [s.SetSignal("ready", number(1)), s.WaitUntil(e.Binary("=", e.Name("ready"), number(1)), number(1, "s"))]

    def waiting_long(self) -> list[s.Step]:
        asked = e.Binary("=", e.Name("part"), number(9))
        late = s.WaitUntil(asked, number(self.random.uniform(0.1, 0.4), "s"), (s.Message(e.Text("late")),))
        return [late, s.WaitUntil(e.Binary(">", e.Call("time"), number(0.05, "s")), number(2, "s"))]

    def side_by_side(self) -> list[s.Step]:
        names = [*self.setting.arms, *self.setting.devices]
        if len(names) < 2:
            wait = (s.Wait(number(0.1)), s.SetSignal("ready", number(1)))
            return [s.Parallel((tuple(self.relative()), wait, (s.WaitFor("ready"), s.Message(e.Text("seen")))))]
        one, other = self.random.sample(names, 2)
        first = (s.MoveJointsAbsolute(one, row(*self.near(one, 12))), s.SetSignal("part", number(2)))
        second = (s.WaitFor("part", number(2)), s.MoveJointsAbsolute(other, row(*self.near(other, 12))), s.Home(other))
        third = (
            s.WaitUntil(
                e.Binary(
                    ">", e.Call("joint", (e.Name(one), number(1))), number(-999, "mm" if one == "track" else "deg")
                )
            ),
        )
        return [s.Parallel((first, second, third))]

    def steering(self) -> list[s.Step]:
        """A move, and beside it changes of it at some instants; some come when it is over, and are refused."""
        robot = self.device()
        other = s.HoldMotion(robot), s.Wait(number(self.random.uniform(0.01, 0.3))), s.ResumeMotion(robot)
        changes: list[s.Step] = []
        for _ in range(self.random.randint(1, 3)):
            changes.append(s.Wait(number(self.random.uniform(0.02, 0.25))))
            changes += self.random.choice([
                other,
                other,
                (s.Override(number(self.random.randint(20, 100)), robot),),
                (s.Override(number(self.random.randint(0, 100))),),
                (s.SupersedeJoints(robot, row(*self.near(robot, 12))),),
                (s.StopMotion(robot),),
                (s.EmergencyStop(robot if self.random.random() < 0.5 else None),),
                (s.HoldMotion(robot),),
            ])  # fmt: skip
        reason = (s.Message(e.Name("why")),)
        move = s.MoveJointsAbsolute(robot, row(*self.near(robot, 40)), self.profile())
        return [s.Parallel(((s.Try((move,), reason, "why"),), (s.Try(tuple(changes), reason, "why"),)))]

    def sharing(self) -> list[s.Step]:
        """Branches that enter a zone by turns, and one that makes a robot slow meanwhile."""
        robot = self.device()
        stay = s.Wait(number(self.random.uniform(0.01, 0.2)))
        first = (s.EnterZone("press"), s.MoveJointsAbsolute(robot, row(*self.near(robot, 12))), s.LeaveZone("press"))
        second = (stay, s.EnterZone("press"), stay, *(() if self.random.random() < 0.2 else (s.LeaveZone("press"),)))
        fault = (s.InjectFault("lame"), stay, *((s.ClearFault("lame"),) if self.random.random() < 0.7 else ()))
        return [s.Parallel((first, second, fault))]
