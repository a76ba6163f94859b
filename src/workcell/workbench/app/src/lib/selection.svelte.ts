// The selection of this window, what it hides, and what the other windows have selected.
import type { RobotInfo } from "./protocol";
import type { Scene } from "./scene.svelte";
import type { TreeNode } from "./tree";

/** The kinds of things of the cell that the view draws, and that *Select everything* takes. */
const DRAWN: ReadonlySet<string> = new Set(["robot", "object", "zone", "sensor", "target", "frame", "path", "curve", "surface", "light"]);

export class Selection {
  /** The ids of the selected lines of the tree, in the order in which they were selected. */
  ids = $state.raw<readonly string[]>([]);
  /** Whether a click adds to the selection or takes from it, without a key. */
  several = $state(false);
  /** The body under the pointer. */
  hover = $state("");
  hidden = $state.raw<ReadonlySet<string>>(new Set());
  /** What the other windows have selected: ids by the name of the window. */
  others = $state.raw<ReadonlyMap<string, readonly string[]>>(new Map());

  private chosen = $derived(new Set(this.ids));
  private awaited: readonly (readonly [string, string])[] = [];
  /** The names of the selected robots by their ids: a robot that is mounted somewhere else has another id. */
  private robotNames: ReadonlyMap<string, string> = new Map();

  /**
   * @param scene the scene that is selected from.
   * @param announce shows the other windows what is selected here.
   */
  constructor(
    private scene: Scene,
    private announce: (things: string[]) => void = () => {},
  ) {
    scene.watch((touched) => {
      if (!touched.lists) return;
      this.choose(this.ids.flatMap((id) => (scene.node(id) ? id : this.again(id))));
      this.remember();
      this.look();
    });
  }

  /** The tree has other lines: perhaps those that are waited for. */
  look(): void {
    if (this.awaited.length > 0) this.selectWhenThere(...this.awaited);
  }

  /** The line of the same robot, link or tool after its robot was mounted on something or taken off; none if it is gone. */
  private again(id: string): string[] {
    const [robot, part] = id.split("#") as [string, string?];
    const name = this.robotNames.get(robot);
    const now = name === undefined ? undefined : this.scene.line("robot", name);
    const line = now && (part === undefined ? now.id : `${now.id}#${part}`);
    return line && this.scene.node(line) ? [line] : [];
  }

  private remember(): void {
    const robots = this.ids.flatMap((id) => this.scene.picture.robots.get(id.split("#")[0]!) ?? []);
    this.robotNames = new Map(robots.map(({ id, name }) => [id, name]));
  }

  /** The line that was selected last: the primary one. "" for nothing. */
  get id(): string {
    return this.ids.at(-1) ?? "";
  }

  get node() {
    return this.id ? this.scene.node(this.id) : undefined;
  }

  has(id: string): boolean {
    return this.chosen.has(id);
  }

  /** The selected lines without those that are under another selected one, as a link is under its robot. */
  get things(): TreeNode[] {
    const free = this.ids.filter((id) => !this.scene.above(id).some((one) => this.chosen.has(one)));
    return free.flatMap((id) => this.scene.node(id) ?? []);
  }

  /** The bodies of the selection. */
  get bodies(): readonly string[] {
    return [...new Set(this.ids.flatMap((id) => this.scene.node(id)?.bodies ?? []))];
  }

  /** The robot that is selected, or whose link or tool is. */
  get robot(): RobotInfo | undefined {
    void this.scene.seen;
    const { robots, bodies } = this.scene.picture;
    return robots.get(this.id) ?? robots.get(bodies.get(this.node?.bodies[0] ?? "")?.owner ?? "");
  }

  select(id: string): void {
    this.choose(id ? [id] : []);
  }

  /** Select these lines, the primary one last. */
  choose(ids: readonly string[]): void {
    const next = [...new Set(ids)];
    if (next.length === this.ids.length && next.every((id, i) => id === this.ids[i])) return;
    this.ids = next;
    this.remember();
    this.announce(next);
  }

  /** Add these lines to the selection. */
  add(ids: readonly string[]): void {
    const more = new Set(ids);
    this.choose([...this.ids.filter((id) => !more.has(id)), ...ids]);
  }

  /** Add a line to the selection, or take it out. */
  toggle(id: string): void {
    if (this.has(id)) this.choose(this.ids.filter((one) => one !== id));
    else this.add([id]);
  }

  /** Select everything that is drawn and not hidden; while a link is selected, all links of its robot. */
  selectAll(): void {
    const above = this.scene.node(this.scene.above(this.id)[0] ?? "");
    const among = above && above.kind !== "group" ? above.children : (this.scene.tree ?? []).flatMap((group) => group.children);
    this.choose(among.filter((node) => (above?.children === among || DRAWN.has(node.kind)) && !this.hidden.has(node.id)).map((node) => node.id));
  }

  /** Select things by their kinds and names, now or as soon as the picture has all of them. */
  selectWhenThere(...wanted: (readonly [string, string])[]): void {
    const found = wanted.flatMap(([kind, name]) => this.scene.line(kind, name)?.id ?? []);
    const all = found.length === wanted.length;
    this.awaited = all ? [] : wanted;
    if (all) this.choose(found);
  }

  /** Whether something is to be selected that the picture has not got yet. */
  get waits(): boolean {
    return this.awaited.length > 0;
  }

  /** Announce the selection again, to a server that has not heard of it. */
  repeat(): void {
    if (this.ids.length > 0) this.announce([...this.ids]);
  }

  /**
   * Select what a body belongs to: first the robot or object and, if only that is selected, the link. A mark is a line
   * of the tree itself. `adding` adds the robot or object to the selection, or takes it out with its links.
   */
  pick(body: string, adding = false): void {
    const holders = this.scene.holdersOf(body);
    const whole = holders[0] ?? (this.scene.node(body) ? body : "");
    if (!adding) {
      const place = this.ids.length === 1 ? holders.indexOf(this.id) : -1;
      this.select(holders.length > 0 ? holders[(place + 1) % holders.length]! : whole);
    } else if (holders.some((id) => this.has(id))) this.choose(this.ids.filter((id) => !holders.includes(id)));
    else if (whole) this.toggle(whole);
  }

  toggleHidden(id: string): void {
    const hidden = new Set(this.hidden);
    if (!hidden.delete(id)) hidden.add(id);
    this.hidden = hidden;
  }

  /** Hide the selection; show it if all of it is hidden. */
  hideOrShow(): void {
    const shown = this.ids.every((id) => this.hidden.has(id));
    const rest = [...this.hidden].filter((id) => !this.has(id));
    this.hidden = new Set(shown ? rest : [...rest, ...this.ids]);
  }

  /** Hide everything that is not selected; of a robot with selected links, the other links. */
  isolate(): void {
    const things = (this.scene.tree ?? []).flatMap((group) => group.children).filter((node) => DRAWN.has(node.kind) || node.kind === "loose");
    const others = things.flatMap((node) => {
      if (this.has(node.id)) return [];
      return node.children.some((child) => this.has(child.id)) ? node.children.filter((child) => !this.has(child.id)) : [node];
    });
    this.hidden = new Set(others.map((node) => node.id));
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
