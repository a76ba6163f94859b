// What the dialog *Add* makes: shapes with their sizes, robots and tools of the library, and the command lines.
import type { RobotFacts } from "./commands";
import type { UnitNames } from "./protocol";
import { plain, quoted } from "./text";

/** A shape of the command language: the names of its sizes, their first values [m], how high its centre of mass is above its foot, and how far it goes along x from there. */
export interface Shape {
  sizes: readonly string[];
  first: readonly number[];
  foot: (sizes: readonly number[]) => number;
  side: (sizes: readonly number[]) => number;
  fixture?: boolean;
}

export const SHAPES: Record<string, Shape> = {
  box: { sizes: ["x", "y", "z"], first: [0.2, 0.2, 0.2], foot: ([, , z]) => z! / 2, side: ([x]) => x! / 2 },
  cylinder: { sizes: ["radius", "height"], first: [0.1, 0.2], foot: ([, h]) => h! / 2, side: ([r]) => r! },
  cone: { sizes: ["radius", "height"], first: [0.1, 0.2], foot: ([, h]) => h! / 4, side: ([r]) => r! },
  "truncated-cone": { sizes: ["radius at the top", "radius at the bottom", "height"], first: [0.05, 0.1, 0.2], foot: ([top, bottom, h]) => frustumFoot(top!, bottom!, h!), side: ([top, bottom]) => Math.max(top!, bottom!) },
  sphere: { sizes: ["radius"], first: [0.1], foot: ([r]) => r!, side: ([r]) => r! },
  ellipsoid: { sizes: ["semi-axis x", "semi-axis y", "semi-axis z"], first: [0.15, 0.1, 0.1], foot: ([, , c]) => c!, side: ([a]) => a! },
  torus: { sizes: ["radius of the ring", "radius of the tube"], first: [0.1, 0.03], foot: ([, tube]) => tube!, side: ([ring, tube]) => ring! + tube! },
  wedge: { sizes: ["x", "y", "z"], first: [0.2, 0.2, 0.2], foot: ([, , z]) => z! / 3, side: ([x]) => x! / 2 },
  pyramid: { sizes: ["x", "y", "height"], first: [0.2, 0.2, 0.2], foot: ([, , h]) => h! / 4, side: ([x]) => x! / 2 },
  table: { sizes: ["x", "y", "height"], first: [0.8, 0.6, 0.4], foot: ([, , h]) => h! / 2, side: ([x]) => x! / 2, fixture: true },
};

/** The shapes of the command language; a table is a box. */
export const SOLIDS = Object.keys(SHAPES).filter((name) => !SHAPES[name]!.fixture);

/** How high the centre of mass of a truncated cone is. */
function frustumFoot(top: number, bottom: number, height: number): number {
  return (height * (bottom ** 2 + 2 * bottom * top + 3 * top ** 2)) / (4 * (bottom ** 2 + bottom * top + top ** 2));
}

/** Where along x a thing stands free of everything, which ends at `end`, if it goes `side` from its own origin [m]. */
export function freePlace(end: number, side: number): number {
  return Math.ceil(10 * (end + side + 0.2) - 1e-6) / 10;
}

/** The line that adds a shape; a table is a fixed box. Sizes and position are in metres. */
export function solidLine(
  name: string,
  shape: string,
  sizes: readonly number[],
  at: readonly number[],
  units: UnitNames,
  options: { colour?: string; movable?: boolean } = {},
): string {
  const lengths = (values: readonly number[]) => values.map((value) => plain(value / units.lengthSize));
  const colour = options.colour ? ` colour ${options.colour}` : "";
  const movable = options.movable && !SHAPES[shape]?.fixture ? " --movable" : "";
  return `add solid ${quoted(name)} ${shape === "table" ? "box" : shape} ${lengths(sizes).join(" ")} at ${lengths(at).join(",")}${colour}${movable}`;
}

/** The line that puts a robot of the library into the scene; the position is in metres. */
export function robotLine(name: string, model: string, at: readonly number[], units: UnitNames): string {
  return `create robot ${quoted(name)} ${model} at ${at.map((value) => plain(value / units.lengthSize)).join(",")}`;
}

/** The line that puts a robot of the library in the place of another one; the new one keeps its name, targets and programs. */
export function replacementLine(robot: string, model: string): string {
  return `replace robot ${quoted(robot)} with ${model}`;
}

/** The lines that make a tool of the library, and fit it to a robot if one is given. */
export function toolLines(name: string, model: string, robot: string): string[] {
  const made = `create tool ${quoted(name)} ${model}`;
  return robot ? [made, `fit tool ${quoted(name)} to ${quoted(robot)}`] : [made];
}

/** The robots with a text in their names, at least a reach [m] and a payload [kg]; an unstated figure is not enough. */
export function robotsWith(robots: readonly RobotFacts[], text: string, reach: number, payload: number): RobotFacts[] {
  const wanted = text.trim().toLowerCase();
  const enough = (value: number | null, least: number) => least <= 0 || (value !== null && value >= least - 1e-9);
  return robots.filter(
    (one) => `${one.name} ${one.maker} ${one.model}`.toLowerCase().includes(wanted) && enough(one.reach, reach) && enough(one.payload, payload),
  );
}

/** The robot that is chosen among those found: the one that was picked if it is there, else the first; "" if none is found. */
export function chosenRobot(found: readonly RobotFacts[], picked: string): string {
  return (found.find((one) => one.name === picked) ?? found[0])?.name ?? "";
}
