// Paths of targets from geometry: the fields of the card for each command, their first values, and the command line.
import type { PatternAsked, PatternKind } from "./making.svelte";
import type { UnitNames } from "./protocol";
import { type Convention, fromSeven, poseText } from "./rigid";
import { plain, quoted } from "./text";

/** Values in SI units: numbers, three numbers, a text, a choice, or whether a flag is given. A pose is seven numbers. */
export type Value = number | string | boolean | readonly number[];
export type Values = Readonly<Record<string, Value>>;

export interface Field {
  id: string;
  label: string;
  /** `lengths` is a text of lengths in the units of the cell; `count` may be empty. */
  kind: "length" | "angle" | "count" | "lengths" | "choice" | "flag" | "three" | "direction" | "pose" | "carrier";
  title?: string;
  first: Value;
  choices?: readonly (readonly [value: string, label: string])[];
  /** Whether it is among those that are folded at first. */
  seldom?: boolean;
}

const length = (id: string, label: string, title: string, first = 0, seldom = false): Field => ({ id, label, kind: "length", title, first, seldom });
const angle = (id: string, label: string, title: string): Field => ({ id, label, kind: "angle", title, first: 0, seldom: true });
const flag = (id: string, label: string, title: string, seldom = false): Field => ({ id, label, kind: "flag", title, first: false, seldom });

const LEANING = [
  angle("tilt", "Tilt", "How far the tool leans in the direction of travel; positive points it forwards"),
  angle("side", "Side", "How far it leans sideways; positive towards the second face"),
  angle("roll", "Roll", "How far it is turned about its own axis"),
];
const GAP = length("gap", "Stand-off", "The distance of the tool from the work");
const SPACED = (step: number): Field[] => [
  length("spacing", "Spacing", "The distance between targets; the end gets a target too", step),
  { id: "at", label: "Places", kind: "lengths", title: "The distances of the targets from the beginning, such as 0,100,250, instead of a spacing", first: "", seldom: true },
];
const ENDS = [
  length("start", "Leave out first", "The length to leave out at the beginning", 0, true),
  length("end", "Leave out last", "The length to leave out at the end", 0, true),
];
const TRAVEL = [flag("even", "Equal distances", "Change the spacing a little, so that all distances are equal"), flag("backward", "Go the other way", "Go in the opposite direction")];
const ON: Field = { id: "on", label: "Carried by", kind: "carrier", title: "The thing that carries the targets; they are in its frame", first: "" };

/** The fields of the card. */
export function fieldsOf({ kind, faces, step, flat, first, id }: PatternAsked): Field[] {
  switch (kind) {
    case "along-edge":
      return [
        ...SPACED(step),
        GAP,
        { id: "approach", label: "Tool comes", kind: "choice", first: "between", choices: [["between", "between the faces"], ["first", `against ${faces[0]}`], ["second", `against ${faces[1]}`]] },
        ...TRAVEL,
        ...ENDS,
        ...LEANING,
        { id: "gaps", label: "Two stand-offs", kind: "lengths", title: "The distances from the two faces, such as 1,2, instead of one", first: "", seldom: true },
        { id: "edge", label: "Edge number", kind: "count", title: "Which edge, if the faces meet in several", first: NaN, seldom: true },
      ];
    case "over-face":
      return [
        length("rows", "Rows apart", "The distance between rows", 2 * step),
        length("spacing", "Spacing", "The distance between the targets of a row; its end gets a target too", step),
        length("margin", "Margin", "The distance of the ends of the rows from the boundary of the face"),
        GAP,
        flat
          ? { ...angle("angle", "Angle of rows", "From the first direction of the face"), seldom: false }
          : { id: "along", label: "Rows run", kind: "choice", first: "u", choices: [["u", "around"], ["v", "along the axis"]] },
        flag("one-way", "All rows one way", "All rows run in the same direction, not to and fro"),
        length("retract", "Lift between rows", "How far the tool is lifted between two rows", 0, true),
        ...LEANING,
      ];
    case "along-curve":
      return [
        { id: "normal", label: "Away from work", kind: "direction", title: "A direction away from the work", first: [0, 0, 1] },
        ...SPACED(step),
        GAP,
        ON,
        ...TRAVEL,
        ...ENDS,
        ...LEANING,
      ];
    case "grid":
      return [
        { id: "size", label: "Targets", kind: "three", title: "The number of targets along x and y, and the number of layers", first: [3, 3, 1] },
        { id: "pitch", label: "Distances", kind: "three", title: "The distances along x, y and z; negative values go the other way", first: [step, step, step] },
        { ...ON, first: id },
        { id: "pose", label: "First target", kind: "pose", title: "Its pose on the thing that carries the grid; the others have the same orientation", first: first ?? [0, 0, 0, 0, 1, 0, 0] },
        flag("zigzag", "To and fro", "Every second row runs backwards"),
        length("stagger", "Stagger", "How far every second row is shifted along x", 0, true),
        { ...angle("layer-turn", "Turn of layers", "How far each layer is turned from the one below"), seldom: true },
        { id: "link", label: "Link", kind: "count", title: "The link of a robot: 0 for the base, empty for the last", first: NaN, seldom: true },
      ];
    case "mirror":
      return [
        { id: "normal", label: "Across", kind: "direction", title: "The normal of the mirror plane, in the frame of the thing that carries the path", first: [1, 0, 0] },
        { id: "through", label: "Through", kind: "three", title: "A point of the mirror plane, in the same frame", first: [0, 0, 0] },
      ];
  }
}

/** What the card makes, as its title. */
export function titleOf(kind: PatternKind, name: string, faces: readonly string[]): string {
  if (kind === "along-edge") return `Targets along ${name}, ${faces.join(" and ")}`;
  if (kind === "over-face") return `Targets over ${name}.${faces[0]}`;
  if (kind === "along-curve") return `Targets along ${name}`;
  return kind === "grid" ? "Grid of targets" : `Mirror image of ${name}`;
}

export interface Words {
  /** How commands name what the targets come from. */
  thing: string;
  /** How commands name what carries them; "" for the world. */
  carrier: string;
  path: string;
  faces: readonly string[];
}

/** The line that makes the targets; values that are those of the command are left out. */
export function patternLine(kind: PatternKind, { thing, carrier, path, faces }: Words, values: Values, units: UnitNames, convention: Convention): string {
  const name = quoted(path);
  const lengths = (all: readonly number[]) => all.map((one) => plain(one / units.lengthSize)).join(",");
  const size = (id: string) => lengths([Number(values[id] ?? 0)]);
  const sizes = (...ids: string[]) => ids.flatMap((id) => (values[id] ? [`${id} ${size(id)}`] : []));
  const turns = (...ids: string[]) => ids.flatMap((id) => (values[id] ? [`${id} ${plain(Number(values[id]) / units.angleSize)}`] : []));
  const flags = (...ids: string[]) => ids.flatMap((id) => (values[id] === true ? [`--${id}`] : []));
  const numbers = (id: string) => (values[id] as readonly number[]).map((one) => plain(one)).join(",");
  const list = (id: string) => String(values[id] ?? "").replace(/\s+/g, "");
  const count = (id: string) => (Number.isFinite(values[id]) ? [`${id} ${plain(Number(values[id]), 0)}`] : []);
  const spaced = () => (list("at") ? [`at ${list("at")}`] : [`spacing ${size("spacing")}`]);
  const on = carrier ? [`on ${carrier}`] : [];
  const leaning = () => turns("tilt", "side", "roll");
  const parts: Record<PatternKind, () => string[]> = {
    "along-edge": () => [
      thing, ...faces.map(quoted), `to ${name}`, ...spaced(), ...sizes("start", "end"), ...count("edge"),
      ...(values["approach"] === "between" ? [] : [`approach ${String(values["approach"])}`]), ...leaning(), ...(list("gaps") ? [`gaps ${list("gaps")}`] : sizes("gap")), ...flags("even", "backward"),
    ],
    "over-face": () => [
      thing, ...faces.map(quoted), `to ${name}`, `rows ${size("rows")}`, `spacing ${size("spacing")}`, ...sizes("margin"), ...turns("angle"),
      ...(values["along"] === "v" ? ["along v"] : []), ...sizes("retract"), ...leaning(), ...sizes("gap"), ...flags("one-way"),
    ],
    "along-curve": () => [name, `normal ${numbers("normal")}`, `of ${thing}`, ...on, ...spaced(), ...sizes("start", "end"), ...leaning(), ...sizes("gap"), ...flags("even", "backward")],
    grid: () => {
      const [x, y, z] = values["size"] as readonly number[];
      const pitch = values["pitch"] as readonly number[];
      const layers = z! > 1;
      const pose = poseText(fromSeven(values["pose"] as readonly number[]), units, convention);
      return [
        layers ? `${x}x${y}x${z}` : `${x}x${y}`, `to ${name}`, `pitch ${lengths(layers ? pitch : pitch.slice(0, 2))}`, ...on, ...(carrier ? count("link") : []), `at ${pose}`,
        ...sizes("stagger"), ...turns("layer-turn"), ...flags("zigzag"),
      ];
    },
    mirror: () => [thing, `to ${name}`, `across ${numbers("normal")}`, ...((values["through"] as readonly number[]).some((one) => one !== 0) ? [`through ${lengths(values["through"] as readonly number[])}`] : [])],
  };
  return `targets ${kind} ${parts[kind]().join(" ")}`;
}

/** A round step for something of a length: 1, 2 or 5 times a power of ten, about a sixth of it [m]. */
export function stepFor(whole: number): number {
  if (!(whole > 0)) return 0.1;
  const raw = whole / 6;
  const power = 10 ** Math.floor(Math.log10(raw) + 1e-9);
  return ([5, 2, 1].find((one) => one * power <= raw * (1 + 1e-9)) ?? 1) * power;
}
