// The bodies of the cell: shapes by hash, poses of the time that is shown, marks of selection and hovering.
import type { Box3, Raycaster, Vector3 } from "three";
import type { Bench } from "../../bench.svelte";
import type { Touched } from "../../picture";
import type { RecordingInfo } from "../../protocol";
import type { Sweep } from "../../recording.svelte";
import { ShapeLoader } from "../../shapes";
import type { Spot } from "../../spots";
import type { Theme } from "../../themes";
import { Bodies } from "../bodies";
import { cornersAlong } from "../fitting";
import type { Hit, Layer, Outline, SpotHit } from "../layer";
import type { Pane } from "../pane";
import { edgeUnder, faceUnder } from "../picks";
import type { Stage } from "../stage";

const SOON = 150; // ms that a recording rests before its places are asked for

export class SolidLayer implements Layer {
  readonly kind = "solid";
  readonly bodies: Bodies;
  private loader: ShapeLoader;
  /** How many bodies there were when all shapes were here. */
  private known = 0;
  private arrived: string[] = [];
  /** Where the bodies go in the recording. */
  private sweep: Sweep = new Map();
  private followed: RecordingInfo | undefined;
  /** The bodies that the window hides. */
  private hidden = new Set<string>();

  constructor(
    private bench: Bench,
    private stage: Stage,
  ) {
    this.bodies = new Bodies(stage.highQuality);
    bench.picking.shapeOf = (body, piece) => this.bodies.shapeOf(body, piece);
    this.loader = new ShapeLoader(
      bench.host,
      bench.shortage,
      (hash, shape) => {
        this.bodies.store(hash, shape);
        // Several shapes between two frames are placed once.
        if (this.arrived.push(hash) === 1) stage.before(() => this.place());
      },
    );
    $effect(() => {
      void bench.scene.seen;
      const { bodies, others } = bench.selection;
      const hover = bench.picking.what === "body" ? bench.selection.hover : "";
      const theirs = [...others.values()].flat().flatMap((id) => bench.scene.node(id)?.bodies ?? []);
      this.bodies.mark({ selected: new Set(bodies), hover, theirs: new Set(theirs), touching: bench.touching.bodies });
      stage.changed();
    });
    $effect(() => {
      this.hidden = bench.selection.hiddenBodies;
      stage.changed();
    });
    $effect(() => {
      void bench.recording.info;
      const soon = setTimeout(() => void this.follow().then(() => this.sweep.size > 0 && stage.widen()), SOON);
      return () => clearTimeout(soon);
    });
    bench.recording.survey = () => this.survey();
    $effect(() => {
      this.bodies.highlights = bench.preferences.light;
      stage.changed();
    });
  }

  get group() {
    return this.bodies.group;
  }

  /** Redraw only what changed. */
  update(touched: Touched): void {
    const { bodies } = this.bench.scene.picture;
    const now = [...touched.bodies].flatMap((id) => bodies.get(id) ?? []);
    this.bodies.remove([...touched.bodies].filter((id) => !bodies.has(id)));
    this.bodies.update(now);
    this.bodies.sweep().forEach((hash) => this.loader.forget(hash));
    if (touched.lists) this.hidden = this.bench.selection.hiddenBodies;
    if (touched.bodies.size > 0 || touched.whole) this.count();
    this.bench.poses.refresh();
    this.moved(touched.bodies);
    this.loader.want(now.flatMap((body) => body.pieces.map((piece) => piece.glb)));
  }

  private place(): void {
    const hashes = this.arrived;
    this.arrived = [];
    const users = hashes.flatMap((hash) => [...this.bodies.usersOf(hash)]);
    for (const hash of hashes) this.bodies.refresh(hash);
    this.moved(new Set(users));
    this.count();
  }

  /** Count the shapes that are here, and let the stage fit them. */
  private count(): void {
    const wanted = this.bodies.wanted;
    const here = wanted.filter((hash) => this.bodies.has(hash)).length;
    this.bench.shapes = { here, wanted: wanted.length };
    const complete = here > 0 && here === wanted.length;
    this.stage.surround(complete);
    if (!complete) return;
    const bodies = this.bench.scene.picture.bodies.size;
    if (bodies > this.known) this.stage.widen(); // something new is there
    this.known = bodies;
  }

  /** Before motion is played: let the cameras see all of it, and be there. */
  private async survey(): Promise<void> {
    if (!this.stage.follows) return;
    await this.follow();
    this.stage.refit();
    while (this.stage.flies) await new Promise(requestAnimationFrame);
  }

  /** Learn where the bodies go in the recording. */
  private async follow(): Promise<void> {
    const { info } = this.bench.recording;
    if (info === this.followed) return;
    try {
      const sweep = await this.bench.recording.sweep();
      if (info !== this.bench.recording.info) return;
      this.sweep = sweep;
      this.followed = info;
    } catch {
      this.sweep = new Map(); // the cell changed meanwhile; another recording follows
    }
  }

  along(): Vector3[] {
    return cornersAlong(this.bodies.shown(), this.sweep);
  }

  moved(bodies: ReadonlySet<string>): void {
    for (const body of bodies) {
      const pose = this.bench.poses.of(body);
      if (pose) this.bodies.place(body, pose, 0);
    }
  }

  theme(theme: Theme): void {
    this.bodies.theme(theme);
  }

  appear({ appearance, hidden }: Pane, inside: boolean): void {
    this.bodies.wear(appearance, inside);
    this.bodies.hide(hidden.size > 0 ? new Set([...this.hidden, ...hidden]) : this.hidden);
  }

  box(): Box3 {
    return this.bodies.box();
  }

  corners(): Vector3[] {
    return this.bodies.corners();
  }

  pick(ray: Raycaster): Hit | undefined {
    return this.bodies.pick(ray);
  }

  get slow(): boolean {
    return this.bodies.trees.slow;
  }

  spot(ray: Raycaster, kind: Spot["kind"]): SpotHit | undefined {
    return kind === "face" ? faceUnder(this.bodies, ray) : edgeUnder(this.bodies, ray, this.bodies.pick(ray));
  }

  outlines(): Iterable<Outline> {
    return this.bodies.outlines();
  }

  dispose(): void {
    this.bench.picking.shapeOf = () => undefined;
    this.bench.recording.survey = () => Promise.resolve();
    this.loader.dispose();
    this.bodies.dispose();
  }
}
