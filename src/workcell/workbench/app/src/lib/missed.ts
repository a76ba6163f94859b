// Changes of the cell that playback hides, in words: who changed what.
import type { Picture } from "./picture";
import type { Difference } from "./protocol";

const NAMED = 3; // things in a sentence
const SOON = 300; // ms in which the picture of a change follows it

/** What a difference does to the picture before it: `Puma moved`, `brick was added`; "" if nothing that has a name. */
export function inWords({ nodes, robots, bodies }: Pick<Picture, "nodes" | "robots" | "bodies">, difference: Difference): string {
  const nameOf = (id: string) => nodes.get(id)?.name ?? robots.get(id)?.name ?? "";
  const added = (difference.nodes?.appeared ?? []).map((node) => node.name);
  const removed = (difference.nodes?.went ?? []).map(nameOf);
  const renamed = (difference.nodes?.changed ?? []).filter((node) => node.name !== undefined && node.name !== nameOf(node.id));
  const moved: string[] = (difference.robots?.changed ?? []).filter((robot) => robot.values).map((robot) => nameOf(robot.id));
  const changed: string[] = [];
  for (const body of difference.bodies?.changed ?? []) {
    const owner = bodies.get(body.id)?.owner ?? "";
    const name = nameOf(owner) || (bodies.get(body.id)?.name ?? "");
    if (body.pieces) changed.push(name);
    else if (body.pose && !moved.includes(name)) moved.push(name);
  }
  changed.push(...(difference.nodes?.changed ?? []).filter((node) => node.name === undefined).map((node) => nameOf(node.id)));
  const told = new Set([...added, ...moved]);
  return [
    said(added, "was added", "were added"),
    said(removed, "was removed", "were removed"),
    ...renamed.map((node) => `${nameOf(node.id)} was renamed ${node.name}`),
    said(moved.filter((name) => !added.includes(name)), "moved", "moved"),
    said(changed.filter((name) => !told.has(name)), "was changed", "were changed"),
  ]
    .filter(Boolean)
    .join("; ");
}

function said(names: readonly string[], one: string, several: string): string {
  const all = [...new Set(names)].filter(Boolean);
  if (all.length < 2) return all.map((name) => `${name} ${one}`).join("");
  const listed = all.length > NAMED ? [...all.slice(0, NAMED - 1), `${all.length - NAMED + 1} more`] : all;
  return `${listed.slice(0, -1).join(", ")} and ${listed.at(-1)} ${several}`;
}

/** What a command changed, by the first thing that its line names; for what the picture does not have, such as signals. */
export function changedBy(line: string): string {
  const name = /(?:^|[\s(])[a-z]+:(?:"([^"]+)"|([^\s,;"]+))/.exec(line);
  return name ? `${name[1] ?? name[2]} was changed` : "The cell was changed";
}

/** Changes that the view does not show; they are told together, as soon as it is known what they changed. */
export class Missed {
  private who = new Set<string>();
  private line = "";
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** @param tell called with a sentence. */
  constructor(
    private picture: Picture,
    private tell: (sentence: string) => void,
  ) {}

  /** A change is not seen. @param who made it; "" for this window. */
  note(who: string, line: string): void {
    this.who.add(who);
    this.line = line;
    this.timer ??= setTimeout(() => this.say(changedBy(this.line)), SOON);
  }

  /** The picture changes; call it before that. */
  hear(difference: Difference): void {
    const words = this.timer === undefined ? "" : inWords(this.picture, difference);
    if (words) this.say(words);
  }

  private say(words: string): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const others = [...this.who].filter(Boolean);
    this.who.clear();
    this.tell(`${words}${others.length > 0 ? ` (by ${others.join(" and ")})` : ""}. The view shows the recording.`);
  }
}
