// The selected thing as the inspector shows and changes it: its facts, its place now, what it has and what uses it.
import type { Matrix4 } from "three";
import { carrierAmong, carrierOf } from "./carriers";
import type { Connection } from "./connection.svelte";
import type { Log } from "./log.svelte";
import { referenceOf } from "./references";
import { type Convention, fromRows, poseText } from "./rigid";
import type { Scene } from "./scene.svelte";
import type { Selection } from "./selection.svelte";
import { quoted } from "./text";
import { TOOLS } from "./tools";
import type { TreeNode } from "./tree";

/** A relation to or from the thing: its name, and the thing at its other end as `kind:name`. */
export interface Tie {
  relation: string;
  other: string;
  transformation: string;
}

/** A property, as the command language writes its value. */
export interface Property {
  name: string;
  value: string;
}

/** The kinds that have a name in the database, and those that have a place. */
const NAMED: ReadonlySet<string> = new Set(["robot", "object", "target", "frame", "path", "zone", "sensor", "machine", "station", "curve", "surface", "program", "view", "light", "loose"]);
const PLACED: ReadonlySet<string> = new Set(["robot", "object", "target", "frame", "sensor", "zone"]);
export const COPIED: ReadonlySet<string> = new Set(["robot", "object", "target", "frame", "zone", "light"]);
const HANGING: ReadonlySet<string> = new Set(["target", "frame"]);

/** Whether a line of the tree is a thing with a name of its own; the gripper that belongs to a robot is none. */
export const isNamed = ({ kind, note }: TreeNode): boolean => NAMED.has(kind) || (kind === "tool" && note !== "");

/** How a robot or mechanism is mounted: the link that carries it, 0 for the base, and its pose there as \`mount\` takes it. */
export interface Mounted {
  carrier: string;
  link: number;
  pose: Matrix4;
}

/** What the server knows of a thing. */
interface Known {
  /** The pose of the thing now; undefined if it has none. */
  pose: Matrix4 | undefined;
  /** How the robot is mounted on another one; undefined if it stands by itself. */
  mounted: Mounted | undefined;
  /** The TCP of a tool in the frame of the flange; null if it has none, undefined for what is no tool. */
  tcp: Matrix4 | null | undefined;
  /** What carries the thing; "" for the world. */
  carrier: string;
  /** The colour that the thing states, by name or as #rrggbb; "" for that of its parts. */
  colour: string;
  properties: readonly Property[];
  has: readonly Tie[];
  usedBy: readonly Tie[];
}

const NOTHING: Known = { pose: undefined, mounted: undefined, tcp: undefined, carrier: "", colour: "", properties: [], has: [], usedBy: [] };

export class Inspected {
  /** The last answer, and the line of the tree that it is about: another one is selected long before its own answer is here. */
  private known = $state.raw<Known & { of: string }>();
  private turn = 0;

  constructor(
    private connection: Connection,
    private scene: Scene,
    private selection: Selection,
    private log: Log,
  ) {}

  /** The line of the tree that is inspected: a thing with a name of its own. */
  get node(): TreeNode | undefined {
    const { node } = this.selection;
    return node && isNamed(node) ? node : undefined;
  }

  /** What is known of the selected thing; nothing until the server answered. */
  private get facts(): Known {
    const { known } = this;
    return known && known.of === this.node?.id ? known : NOTHING;
  }

  get pose(): Known["pose"] {
    return this.facts.pose;
  }

  get mounted(): Known["mounted"] {
    return this.facts.mounted;
  }

  get tcp(): Known["tcp"] {
    return this.facts.tcp;
  }

  get carrier(): Known["carrier"] {
    return this.facts.carrier;
  }

  get colour(): Known["colour"] {
    return this.facts.colour;
  }

  get properties(): Known["properties"] {
    return this.facts.properties;
  }

  get has(): Known["has"] {
    return this.facts.has;
  }

  get usedBy(): Known["usedBy"] {
    return this.facts.usedBy;
  }

  get copyable(): boolean {
    return COPIED.has(this.node?.kind ?? "");
  }

  /** Ask for everything about the selected thing; call it when the selection or the cell changed. */
  async refresh(): Promise<void> {
    const node = this.node;
    const turn = (this.turn += 1);
    if (this.known?.of !== node?.id) this.known = undefined;
    if (!node || this.connection.link !== "open") return;
    const name = referenceOf(this.scene, node);
    // One after the other: behind a long command at most one of them waits.
    const whereabouts = PLACED.has(node.kind) ? await this.quiet(() => this.connection.call("where", { thing: name })) : undefined;
    const lamp = node.kind === "light" ? await this.quiet(() => this.connection.call("moves-with", { thing: name })) : undefined;
    const shown = await this.quiet(() => this.connection.call("show", { thing: name }));
    const has = await this.quiet(() => this.connection.call("query-relations", { condition: `of ${name}` }));
    const usedBy = await this.quiet(() => this.connection.call("query-relations", { condition: `to ${name}` }));
    if (this.node?.id !== node.id || turn !== this.turn) return;
    const facts = shown && "facts" in shown ? (shown.facts as Facts) : {};
    const { carrier = "", link, on } = whereabouts ?? {};
    const tcp = facts.properties?.["tcp"] as number[] | undefined;
    const rows = node.kind === "robot" ? whereabouts?.base : (whereabouts?.matrix ?? lamp?.pose);
    this.known = {
      of: node.id,
      pose: rows && fromRows(rows),
      mounted: on && typeof link === "number" ? { carrier, link, pose: fromRows(on) } : undefined,
      tcp: shown && TOOLS.has(node.note) ? (tcp ? fromRows([tcp, [0, 0, 0, 1]]) : null) : undefined,
      carrier,
      colour: facts.colour ?? "",
      properties: propertiesOf(shown?.text ?? "", facts.properties ?? {}),
      has: (has?.rows ?? []).map(([, relation, to, how]) => ({ relation: String(relation), other: String(to), transformation: String(how) })),
      usedBy: (usedBy?.rows ?? []).map(([, relation, , how]) => {
        const path = String(relation);
        return { relation: path, other: path.slice(0, path.lastIndexOf("/")), transformation: String(how) };
      }),
    };
  }

  private async quiet<T>(ask: () => Promise<T>): Promise<T | undefined> {
    try {
      return await ask();
    } catch {
      return undefined; // a thing of no scene has no place; the command says why when it is typed
    }
  }

  private press(line: (name: string) => string): Promise<boolean> {
    const node = this.node;
    return node ? this.log.press(line(referenceOf(this.scene, node))) : Promise.resolve(false);
  }

  rename(name: string): Promise<boolean> {
    return this.press((old) => `modify ${old} name ${quoted(name)}`);
  }

  paint(colour: string): Promise<boolean> {
    return this.press((name) => `modify ${name} colour ${colour}`);
  }

  set(property: string, value: string): Promise<boolean> {
    return this.press((name) => `modify ${name} ${property} ${value}`);
  }

  place(pose: Matrix4, convention: Convention): Promise<boolean> {
    const hangs = this.carrier !== "" && HANGING.has(this.node?.kind ?? "") ? " --hanging" : "";
    return this.press((name) => `place ${name} at ${poseText(pose, this.scene.units, convention)}${hangs}`);
  }

  /** What a target or frame hangs on, by name; undefined for other things. */
  get hangsOn(): { name: string; path: boolean } | undefined {
    if (!HANGING.has(this.node?.kind ?? "")) return undefined;
    return carrierAmong(this.scene, this.usedBy.map((tie) => tie.other));
  }

  /** Hang the target or frame on a thing, or put it into the world; it stays where it is. */
  hang(on: string, convention: Convention): Promise<boolean> {
    const carrier = carrierOf(this.scene, on);
    const { pose } = this;
    if (carrier) return this.press((name) => `attach ${name} to ${carrier}`);
    return pose ? this.press((name) => `place ${name} at ${poseText(pose, this.scene.units, convention)}`) : Promise.resolve(false);
  }

  /** What carries the object: the face of another object that it stands on, a robot that holds it, or nothing. */
  get held(): "face" | "robot" | "" {
    void this.scene.seen;
    if (!this.carrier || this.node?.kind !== "object") return "";
    const { bodies, robots } = this.scene.picture;
    const owner = [...bodies.values()].find((body) => body.name === this.carrier)?.owner ?? "";
    return robots.has(owner) ? "robot" : "face";
  }

  /** Take the object off the face that it stands on, or out of the robot that holds it. */
  free(): Promise<boolean> {
    return this.press((name) => (this.held === "robot" ? `release ${name}` : `face detach ${name}`));
  }

  /** Let a robot pick the object up. */
  pick(robot: string): Promise<boolean> {
    return this.press((name) => `pick ${name} with ${quoted(robot)}`);
  }

  remove(): Promise<boolean> {
    return this.press((name) => `remove ${name} --deep`);
  }
}

interface Facts {
  colour?: string | null;
  properties?: Record<string, unknown>;
}

/** The properties of a thing, with their values as `show` writes them in the units of the cell. */
export function propertiesOf(text: string, known: Record<string, unknown>): Property[] {
  return text.split("\n").flatMap((line) => {
    const found = /^ {2}([^\s:]+): (.*)$/.exec(line);
    return found && found[1]! in known ? [{ name: found[1]!, value: found[2]! }] : [];
  });
}
