// The scene: the picture of the cell with stable ids, as the server last sent it. This is the cell as it is now.
import type { LooseThing } from "./commands";
import { Picture, type Touched } from "./picture";
import type { Difference, Facts, Scene as SceneMessage, UnitNames } from "./protocol";
import { looseGroup, type TreeNode, treeOf } from "./tree";

const SI: UnitNames = { length: "m", angle: "rad", lengthSize: 1, angleSize: 1 };

export class Scene {
  /** The tables by id; they are not reactive: read `seen` to follow them. */
  readonly picture = new Picture();
  /** Counts the changes of the picture, so that components update. */
  seen = $state(0);
  facts = $state.raw<Facts>();
  tree = $state.raw<TreeNode[]>();
  /** Every line of the tree by its id, and the line above each. */
  private nodes = $state.raw<ReadonlyMap<string, TreeNode>>(new Map());
  private parents: ReadonlyMap<string, string> = new Map();
  private holders: ReadonlyMap<string, string[]> = new Map();
  private loose: readonly LooseThing[] = [];
  private looseNote = "";
  private watchers = new Set<(touched: Touched) => void>();
  /** How many pictures were shown. */
  revisions = 0;
  private askedForWhole = false;

  /** Asks the server for the whole after a missed difference. */
  constructor(private fetchWhole: () => void) {}

  /** Whether the scene is known, and nothing stands in it. */
  get empty(): boolean {
    void this.seen;
    const { bodies, nodes, robots } = this.picture;
    return this.facts !== undefined && bodies.size + robots.size === 0 && ![...nodes.values()].some(({ kind }) => kind === "curve" || kind === "target");
  }

  get units(): UnitNames {
    return this.facts?.units ?? SI;
  }

  replace(scene: SceneMessage): void {
    this.askedForWhole = false;
    this.show(this.picture.replace(scene));
  }

  apply(difference: Difference): void {
    const touched = this.picture.apply(difference);
    if (touched) this.show(touched);
    else this.catchUp();
  }

  /** Something was missed: ask for the whole, once. */
  catchUp(): void {
    if (this.askedForWhole) return;
    this.askedForWhole = true;
    this.fetchWhole();
  }

  /** Call `watcher` with what changed in the picture, from now on; returns a function that stops it. */
  watch(watcher: (touched: Touched) => void): () => void {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }

  private show(touched: Touched): void {
    this.facts = this.picture.facts;
    this.revisions += 1;
    if (touched.lists || this.tree === undefined) this.list();
    this.seen += 1;
    for (const watcher of this.watchers) watcher(touched);
  }

  /** List these things, which stand nowhere, in the tree too, with a note on all of them. */
  showLoose(things: readonly LooseThing[], note: string): void {
    if (note === this.looseNote && JSON.stringify(things) === JSON.stringify(this.loose)) return;
    [this.loose, this.looseNote] = [things, note];
    this.list();
    this.seen += 1;
  }

  /** Have these bodies redrawn, for instance because they no longer move in the recording. */
  redraw(bodies: Iterable<string>): void {
    const touched = { bodies: new Set(bodies), zones: false, lists: false, whole: false };
    for (const watcher of this.watchers) watcher(touched);
  }

  private list(): void {
    const nodes = new Map<string, TreeNode>();
    const parents = new Map<string, string>();
    const holders = new Map<string, string[]>();
    const visit = (node: TreeNode, parent: string) => {
      nodes.set(node.id, node);
      if (parent) parents.set(node.id, parent);
      for (const body of node.bodies) {
        const known = holders.get(body);
        if (known) known.push(node.id);
        else holders.set(body, [node.id]);
      }
      for (const child of node.children) visit(child, node.id);
    };
    this.tree = [...treeOf(this.picture), ...looseGroup(this.loose, this.looseNote, this.picture)];
    for (const node of this.tree) visit(node, "");
    this.parents = parents;
    this.holders = holders;
    this.nodes = nodes;
  }

  node(id: string): TreeNode | undefined {
    return this.nodes.get(id);
  }

  /** The line of a thing by its kind and name: a thing of the picture, a fitted tool or a loose thing. */
  line(kind: string, name: string): TreeNode | undefined {
    return [...this.nodes.values()].find((node) => node.kind === kind && node.name === name);
  }

  /** The lines above a line of the tree, from the nearest to the group. */
  above(id: string): string[] {
    const found: string[] = [];
    for (let at = this.parents.get(id); at !== undefined; at = this.parents.get(at)) found.push(at);
    return found;
  }

  /** The lines of the tree that a body belongs to, from the outside in: its robot or object, then its link. */
  holdersOf(body: string): readonly string[] {
    return this.holders.get(body) ?? [];
  }

  /** The picture as lists; for tests. */
  get lists() {
    void this.seen;
    const { bodies, robots, zones, nodes } = this.picture;
    const lists = { bodies: [...bodies.values()], robots: [...robots.values()], zones: [...zones.values()] };
    return this.facts ? { ...this.facts, ...lists, nodes: [...nodes.values()] } : undefined;
  }
}
