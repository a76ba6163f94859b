// What the dialog *Add* makes besides shapes, robots and tools: places, zones, sensors, devices, lamps and signals.
import type { UnitNames } from "./protocol";
import { plain, quoted } from "./text";

/** A number that the command needs: what it is called, and its first value [m]. */
interface Size {
  label: string;
  first: number;
}

export interface More {
  /** The kind of its line in the tree; "" if it has none. */
  kind: string;
  help: string;
  sizes: readonly Size[];
  /** Whether it has a position, and how high it is at first [m]. */
  height?: number;
  /** Whether it can be carried by an object, robot or device. */
  carried?: boolean;
  /** The command lines; lengths are words in the units of the cell. */
  lines: (name: string, sizes: readonly string[], at: string, on: string) => string[];
}

const sensor = (command: string, size: Size, word: string): More => ({
  kind: "sensor",
  help: "",
  sizes: [size],
  height: 0.5,
  carried: true,
  lines: (name, [length], at, on) => [`add ${command} ${name} ${word} ${length} at ${at}${on}`],
});
const device = (command: string, sizes: readonly Size[], help: string): More => ({
  kind: "robot",
  help,
  sizes,
  height: 0,
  lines: (name, [length], at) => [`add ${command} ${name}${length ? ` ${length}` : ""} at ${at}`],
});

export const MORE: Record<string, More> = {
  target: { kind: "target", help: "A pose that programs go to. The tool points down.", sizes: [], height: 0.5, carried: true, lines: (name, _, at, on) => [`add target ${name} ${at} euler fanuc_wpr 180deg,0,0${on}`] },
  frame: { kind: "frame", help: "A named coordinate frame.", sizes: [], height: 0, carried: true, lines: (name, _, at, on) => [`add frame ${name} ${at}${on}`] },
  zone: { kind: "zone", help: "A volume that robots keep out of. The inspector offers other rules.", sizes: ["x", "y", "z"].map((label) => ({ label, first: 0.5 })), height: 0.25, lines: (name, sizes, at) => [`add zone ${name} box ${sizes.join(" ")} at ${at} rule keep-out`] },
  conveyor: device("conveyor", [{ label: "length", first: 2 }], "A belt along x."),
  rail: device("rail", [{ label: "length", first: 3 }], "A rail along x, on which `mount` puts a robot."),
  positioner: device("positioner", [], "A table that tilts and turns."),
  "light barrier": { ...sensor("light-barrier", { label: "length", first: 1 }, "length"), help: "On while something is in its beam along z." },
  "distance sensor": { ...sensor("distance-sensor", { label: "range", first: 1 }, "range"), help: "Measures the distance to the next thing along z." },
  "proximity sensor": { ...sensor("proximity-sensor", { label: "distance", first: 0.1 }, "distance"), help: "On while something is within this distance." },
  lamp: { kind: "", help: "Lights the page and the pictures of `render`. The panel Light changes it.", sizes: [], height: 2, lines: (name, _, at) => [`create light ${name}`, `place light:${name} at ${at}`] },
  signal: { kind: "", help: "A value that programs share. The panel Signals and variables shows it.", sizes: [], lines: (name) => [`create signal ${name}`] },
};

/** The command lines of one of these; sizes and position in metres, `on` is the name of what carries it, or "". */
export function moreLines(which: string, name: string, sizes: readonly number[], at: readonly number[], on: string, units: UnitNames): string[] {
  const length = (value: number) => plain(value / units.lengthSize);
  return MORE[which]!.lines(quoted(name), sizes.map(length), at.map(length).join(","), on ? ` on ${quoted(on)}` : "");
}
