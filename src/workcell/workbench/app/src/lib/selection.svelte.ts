// The selection of this window, what it hides, and what the other windows have selected.
import type { RobotInfo } from "./protocol";
import type { Scene } from "./scene.svelte";

export class Selection {
  /** The id of the selected line of the tree; "" for nothing. */
  id = $state("");
  /** The body under the pointer. */
  hover = $state("");
  hidden = $state.raw<ReadonlySet<string>>(new Set());
  /** What the other windows have selected: ids by the name of the window. */
  others = $state.raw<ReadonlyMap<string, readonly string[]>>(new Map());

  private awaited: [string, string] | undefined;

  /**
   * @param scene the scene that is selected from.
   * @param announce shows the other windows what is selected here.
   */
  constructor(
    private scene: Scene,
    private announce: (things: string[]) => void = () => {},
  ) {
    scene.watch((touched) => {
      if (touched.lists && this.id && !scene.node(this.id)) this.select("");
      if (touched.lists && this.awaited) this.selectWhenThere(...this.awaited);
    });
  }

  get node() {
    return this.id ? this.scene.node(this.id) : undefined;
  }

  /** The bodies of the selection. */
  get bodies(): readonly string[] {
    return this.node?.bodies ?? [];
  }

  /** The robot that is selected, or whose link or tool is. */
  get robot(): RobotInfo | undefined {
    void this.scene.seen;
    const { robots, bodies } = this.scene.picture;
    return robots.get(this.id) ?? robots.get(bodies.get(this.bodies[0] ?? "")?.owner ?? "");
  }

  select(id: string): void {
    if (id === this.id) return;
    this.id = id;
    this.announce(id ? [id] : []);
  }

  /** Select a thing by its kind and name, now or as soon as the picture has it. */
  selectWhenThere(kind: string, name: string): void {
    const found = [...this.scene.picture.nodes.values()].find((node) => node.kind === kind && node.name === name);
    this.awaited = found ? undefined : [kind, name];
    if (found) this.select(found.id);
  }

  /** Announce the selection again, to a server that has not heard of it. */
  repeat(): void {
    if (this.id) this.announce([this.id]);
  }

  /** Select what a body belongs to: first the robot or object and, if that is selected, the link. A mark is a line of the tree itself. */
  pick(body: string): void {
    const holders = this.scene.holdersOf(body);
    if (holders.length === 0) return void this.select(this.scene.node(body) ? body : "");
    const place = holders.indexOf(this.id);
    this.select(holders[(place + 1) % holders.length] ?? "");
  }

  toggleHidden(id: string): void {
    const hidden = new Set(this.hidden);
    if (!hidden.delete(id)) hidden.add(id);
    this.hidden = hidden;
  }

  showAll(): void {
    this.hidden = new Set();
  }

  /** The hidden bodies. */
  get hiddenBodies(): Set<string> {
    return new Set([...this.hidden].flatMap((id) => this.scene.node(id)?.bodies ?? []));
  }

  /** Another window selected something, or nothing. */
  hear(who: string, things: readonly string[]): void {
    const others = new Map(this.others);
    if (things.length > 0) others.set(who, things);
    else others.delete(who);
    this.others = others;
  }

  forgetOthers(): void {
    this.others = new Map();
  }

  /** The windows that have selected a thing. */
  whoHas(id: string): string[] {
    return [...this.others].filter(([, things]) => things.includes(id)).map(([who]) => who);
  }
}
