// What the dialog *Add* makes besides shapes, robots and tools: places, forms, devices, what stands on belts, sensors, lamps and signals.
import { SHAPES } from "./adding";
import type { DrawnKind } from "./making.svelte";
import type { UnitNames } from "./protocol";
import { referenceOf } from "./references";
import type { Scene } from "./scene.svelte";
import { plain, quoted } from "./text";

/** A number that the command needs: what it is called, its first value [m, rad or a count], and what it measures. */
interface Size {
  label: string;
  first: number;
  as: "length" | "angle" | "time" | "count";
}

/** A thing of the cell that the command names. */
export interface Choice {
  label: string;
  among: "belt" | "movable" | "member" | "device" | "body" | "signal";
  /** What an empty choice means; without it, one must be chosen. */
  empty?: string;
  /** Whether several are chosen, in order; at least two. */
  several?: boolean;
  /** What to do if there is none. */
  lacking: string;
}

/** What was typed and chosen: words in the units of the cell, and references to things; "" for none. */
interface Words {
  sizes: readonly string[];
  picks: readonly (readonly string[])[];
  at: string;
  on: string;
  shape: string;
}

export interface More {
  group: "Places" | "Forms" | "Devices" | "On belts" | "Sensors" | "Others";
  /** The kind of its line in the tree; "" if it has none. */
  kind: string;
  help: string;
  sizes: readonly Size[];
  picks?: readonly Choice[];
  /** Whether it has a position, and how high it is at first [m]. */
  height?: number;
  /** How far it goes along x behind its origin [m]. */
  side?: number;
  /** Whether it can be carried by an object, robot or device. */
  carried?: boolean;
  /** Whether it has an orientation of its own: it is a part of `at` then. */
  turned?: boolean;
  /** Whether its z axis points down at first, also where something carries it. */
  down?: "always" | "uncarried";
  /** Whether it has a shape; then the sizes are those of the shape. */
  shaped?: boolean;
  /** Drawn in the view by points, instead of being added by this dialog. */
  drawn?: DrawnKind;
  lines: (name: string, words: Words) => string[];
}

const length = (label: string, first: number): Size => ({ label, first, as: "length" });
const sensor = (command: string, size: Size, word: string, help: string): More => ({
  group: "Sensors",
  kind: "sensor",
  help,
  sizes: [size],
  height: 0.5,
  carried: true,
  turned: true,
  lines: (name, { sizes, at, on }) => [`add ${command} ${name} ${word} ${sizes[0]} at ${at}${on}`],
});
const device = (command: string, sizes: readonly Size[], side: number, help: string, words: readonly string[] = []): More => ({
  group: "Devices",
  kind: "robot",
  help,
  sizes,
  height: 0,
  side,
  lines: (name, { sizes, at }) => [`add ${[command, name, ...sizes.map((one, i) => (words[i] ? `${words[i]} ${one}` : one))].join(" ")} at ${at}`],
});
const BELT: Choice = { label: "belt", among: "belt", lacking: "There is no conveyor; add one first." };
const station = (help: string, sizes: readonly Size[], lines: More["lines"], picks: readonly Choice[] = []): More => ({ group: "On belts", kind: "station", help, sizes, picks: [BELT, ...picks], lines });
const feeling = (command: string, help: string): More => ({
  group: "Sensors",
  kind: "sensor",
  help,
  sizes: [],
  picks: [{ label: "body", among: "body", lacking: "There is no object or robot that could carry it; add one first." }],
  lines: (name, { picks }) => [`add ${command} ${name} on ${picks[0]![0]}`],
});

export const MORE: Record<string, More> = {
  target: { group: "Places", kind: "target", help: "A pose that programs go to. At first the tool points down.", sizes: [], height: 0.5, carried: true, turned: true, down: "always", lines: (name, { at, on }) => [`add target ${name} ${at}${on}`] },
  frame: { group: "Places", kind: "frame", help: "A named coordinate frame.", sizes: [], height: 0, carried: true, turned: true, lines: (name, { at, on }) => [`add frame ${name} ${at}${on}`] },
  zone: { group: "Places", kind: "zone", help: "A volume that robots keep out of. The inspector offers other rules.", sizes: [], height: 0.25, shaped: true, turned: true, lines: (name, { sizes, at, shape }) => [`add zone ${name} ${shape} ${sizes.join(" ")} at ${at} rule keep-out`] },
  wall: { group: "Forms", kind: "zone", help: "A wall on a line that you draw on the floor, as a zone or as a solid.", sizes: [], drawn: "wall", lines: () => [] },
  curve: { group: "Forms", kind: "curve", help: "A curve through points that you click in the view or type.", sizes: [], drawn: "curve", lines: () => [] },
  patch: { group: "Forms", kind: "surface", help: "A free-form surface over a rectangle that you draw in the view. You can move its control points afterwards.", sizes: [], drawn: "patch", lines: () => [] },
  conveyor: device("conveyor", [length("length", 2)], 0.1, "A belt along x. The inspector runs and stops it."),
  slide: device("slide", [length("length", 1), length("drop", 0.2)], 0.1, "Parts slide down it along x, to the next belt, a stop or a sink.", ["", "down"]),
  rail: device("rail", [length("length", 3)], 0.4, "A rail along x. To put a robot on it, use “Mounted on” in the inspector of the robot."),
  gantry: device("gantry", [length("length", 2), length("width", 1.5), length("height", 2)], 0.4, "Three sliding axes. To hang an arm from the column, use “Mounted on” in the inspector of the arm."),
  positioner: device("positioner", [], 0.6, "A table that tilts and turns."),
  machine: {
    group: "Devices",
    kind: "machine",
    help: "Robots and devices whose joints are timed together, in the order in which you choose them.",
    sizes: [],
    picks: [{ label: "members", among: "member", several: true, lacking: "A machine has two or more robots and devices; add them first." }],
    lines: (name, { picks }) => [`create machine ${name}${picks[0]!.map((one) => ` of ${one}`).join("")}`],
  },
  source: station(
    "Puts copies of an object on the belt, one after the other.",
    [{ label: "interval", first: 2, as: "time" }, { label: "copies", first: 10, as: "count" }],
    (name, { sizes, picks }) => [`add source ${name} of ${picks[1]![0]} on ${picks[0]![0]} every ${sizes[0]} stock ${sizes[1]}`],
    [{ label: "part", among: "movable", lacking: "There is no object that robots may handle; add one, or tick Movable in its inspector." }],
  ),
  sink: station("Takes the parts away at the end of the belt, and counts them.", [], (name, { picks }) => [`add sink ${name} on ${picks[0]![0]}`]),
  stop: station(
    "Parts wait at it while the belt runs on below them.",
    [length("place", 1)],
    (name, { sizes, picks }) => [`add stop ${name} on ${picks[0]![0]} at ${sizes[0]}${picks[1]![0] ? ` signal ${picks[1]![0]}` : ""}`],
    [{ label: "signal", among: "signal", empty: "none: it is always up", lacking: "" }],
  ),
  "light barrier": sensor("light-barrier", length("length", 1), "length", "On while something is in its beam along z."),
  "distance sensor": sensor("distance-sensor", length("range", 1), "range", "Measures the distance to the next thing along z."),
  "proximity sensor": sensor("proximity-sensor", length("distance", 0.1), "distance", "On while something is within this distance."),
  camera: {
    group: "Sensors",
    kind: "sensor",
    help: "Counts and lists the bodies it sees along z. At first it looks down, or along z of what carries it.",
    sizes: [{ label: "angle of view", first: (50 * Math.PI) / 180, as: "angle" }, length("range", 1.5)],
    height: 1.5,
    carried: true,
    turned: true,
    down: "uncarried",
    lines: (name, { sizes, at, on }) => [`add camera ${name} view ${sizes[0]} range ${sizes[1]} at ${at}${on}`],
  },
  "contact sensor": feeling("contact-sensor", "On while its body touches another one."),
  "weight sensor": feeling("weight-sensor", "Weighs what rests on its body."),
  encoder: {
    group: "Sensors",
    kind: "sensor",
    help: "Reads a joint in whole steps: an angle, or a length if the joint slides, in the units of the cell.",
    sizes: [{ label: "joint", first: 1, as: "count" }, { label: "step", first: 0.1, as: "count" }],
    picks: [{ label: "device", among: "device", lacking: "There is no robot or device; add one first." }],
    lines: (name, { sizes, picks }) => [`add encoder ${name} on ${picks[0]![0]} joint ${sizes[0]} resolution ${sizes[1]}`],
  },
  lamp: { group: "Others", kind: "light", help: "Lights the page and the pictures of render. The Light panel changes it.", sizes: [], height: 2, lines: (name, { at }) => [`create light ${name}`, `place light:${name} at ${at}`] },
  signal: { group: "Others", kind: "", help: "A value that programs share. The Signals and variables panel shows it.", sizes: [], lines: (name) => [`create signal ${name}`] },
};

/** The kinds of things by their groups. */
export const MORE_GROUPS: readonly (readonly [string, readonly string[]])[] = [...new Set(Object.values(MORE).map(({ group }) => group))].map((group) => [group, Object.keys(MORE).filter((one) => MORE[one]!.group === group)]);

/** The unit of a number of the dialog. */
export function unitOf({ as }: Pick<Size, "as">, units: UnitNames): string {
  return { length: units.length, angle: units.angle, time: "s", count: "" }[as];
}

/** How large the unit of a number is, in m or rad; 1 for a time or count. */
export function sizeOf({ as }: Pick<Size, "as">, units: UnitNames): number {
  return { length: units.lengthSize, angle: units.angleSize, time: 1, count: 1 }[as];
}

/** What can be chosen: references with the names that a field shows. */
export function choicesOf(scene: Scene, { among }: Choice, signals: readonly string[]): readonly (readonly [string, string])[] {
  void scene.seen;
  const { nodes, robots, bodies } = scene.picture;
  if (among === "signal") return signals.map((name) => [`signal:${quoted(name)}`, name]);
  const movable = new Set(among === "movable" ? [...bodies.values()].filter((body) => body.movable).map(({ owner }) => owner) : []);
  const fits = (id: string, kind: string) => {
    if (among === "movable") return kind === "object" && movable.has(id);
    if (among === "belt") return robots.get(id)?.belt === true;
    if (among === "member") return kind === "robot" && robots.get(id)?.belt !== true; // a belt is endless
    return kind === "robot" || (among === "body" && kind === "object");
  };
  return [...nodes.values()].filter(({ id, kind }) => fits(id, kind)).map((node) => [referenceOf(scene, node), node.name]);
}

/** What was chosen of the things that the command names; the first one where nothing was. */
export function chosenOf(choice: Choice, offered: readonly (readonly [string, string])[], chosen: readonly string[] | undefined): string[] {
  const known = (chosen ?? []).filter((one) => one === "" || offered.some(([reference]) => reference === one));
  if (choice.several) return known.filter((one) => one !== "");
  return [known[0] ?? (choice.empty === undefined ? (offered[0]?.[0] ?? "") : "")];
}

/** Why the thing cannot be made yet; "" if it can. */
export function lackingFor(which: string, picks: readonly (readonly string[])[], offered: readonly (readonly unknown[])[]): string {
  for (const [i, choice] of (MORE[which]!.picks ?? []).entries()) {
    if (choice.empty === undefined && offered[i]!.length < (choice.several ? 2 : 1)) return choice.lacking;
    if (choice.several && picks[i]!.length < 2) return `Choose two or more ${choice.label}.`;
  }
  return "";
}

/** The numbers that one of these needs. */
export function sizesOf(which: string, shape: string): readonly Size[] {
  const { shaped, sizes } = MORE[which]!;
  const { sizes: labels, first } = SHAPES[shape]!;
  return shaped ? labels.map((label, i) => length(label, first[i]! * (shape === "box" ? 2.5 : 1))) : sizes;
}

/** How high one of these is at first [m]. */
export function heightOf(which: string, sizes: readonly number[], shape: string): number {
  return MORE[which]!.shaped ? SHAPES[shape]!.foot(sizes) : (MORE[which]!.height ?? 0);
}

/** Whether the z axis points down at first. */
export function pointsDown(which: string, carried: boolean): boolean {
  const { down } = MORE[which]!;
  return down === "always" || (down === "uncarried" && !carried);
}

/** What a command may have besides its numbers: things that it names, a shape, and angles [rad] with the names that commands give them. */
interface Given {
  picks?: readonly (readonly string[])[];
  shape?: string;
  angles?: readonly number[];
  convention?: string;
}

/** The command lines of one of these; sizes and position in m, rad, s or counts; `on` is how commands name what carries it, or "". */
export function moreLines(which: string, name: string, sizes: readonly number[], at: readonly number[], on: string, units: UnitNames, given: Given = {}): string[] {
  const { picks = [], shape = "box", angles = [], convention = "" } = given;
  const needed = sizesOf(which, shape);
  const word = (value: number, i: number) => {
    const size = needed[i]!;
    const text = plain(value / sizeOf(size, units));
    return size.as === "angle" ? `${text}${units.angle}` : size.as === "time" ? `${text}s` : text;
  };
  const turn = angles.map((value) => plain(value / units.angleSize)).join(",");
  const pose = `${at.map((value) => plain(value / units.lengthSize)).join(",")}${MORE[which]!.turned && /[1-9]/.test(turn) ? ` euler ${convention} ${turn}` : ""}`;
  return MORE[which]!.lines(quoted(name), { sizes: sizes.map(word), picks, at: pose, on: on ? ` on ${on}` : "", shape });
}
