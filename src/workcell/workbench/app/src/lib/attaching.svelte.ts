// Attaching face to face: the user picks a face of a thing and a face of another, sees the result as a ghost, and accepts.
import { type Matrix4, Vector3 } from "three";
import type { Connection } from "./connection.svelte";
import { attachLine, type FaceJoint, poseWith } from "./face_joint";
import type { Ghost } from "./ghost.svelte";
import { referenceOf } from "./references";
import type { Log } from "./log.svelte";
import type { Named, Picking } from "./picking.svelte";
import { fromRows, fromSeven } from "./rigid";
import type { Scene } from "./scene.svelte";
import type { Spot } from "./spots";
import { quoted } from "./text";

/** Two faces that are to meet: of the child and of the base, and where the child would be without a turn or shift. */
export interface Joint {
  child: Named;
  base: Named;
  home: Matrix4;
  /** The bodies that move with the child, by their ids. */
  bodies: readonly string[];
}

export class Attaching {
  joint = $state.raw<Joint>();
  /** The turn about the normal of the face of the base [rad], and the shift along the axes of the world [m]. */
  angle = $state(0);
  shift = $state.raw<readonly [number, number, number]>([0, 0, 0]);

  constructor(
    private connection: Connection,
    private scene: Scene,
    private picking: Picking,
    private ghost: Ghost,
    private log: Log,
  ) {}

  /** Ask for the two faces, and show the result; a chosen face is the first one. Returns why there is none, or "". */
  async begin(): Promise<string> {
    const { picking } = this;
    const chosen = picking.chosen?.kind === "face" ? picking.chosen : undefined;
    this.cancel();
    const first = chosen ?? (await picking.ask("face", "Pick a face of the thing to attach.", (spot) => this.refusal(spot)));
    if (!first) return "";
    const reason = this.refusal(first);
    if (reason) return reason;
    picking.chosen = undefined;
    picking.marked = [first];
    const second = await picking.ask("face", `Pick the face to attach ${picking.label(first)} to.`, (spot) => this.refusal(spot, first));
    if (!second) {
      picking.marked = [];
      return "";
    }
    picking.marked = [first, second];
    try {
      await this.join(first, second);
      picking.marked = []; // the ghost shows how they meet
      return "";
    } catch (error) {
      this.cancel();
      return (error as Error).message;
    }
  }

  private refusal(spot: Spot, first?: Spot): string {
    const owner = this.picking.owner(spot.body);
    if (owner?.kind !== "object") return "Only faces of objects can be attached; the links of robots have no named faces.";
    return first && owner.id === this.picking.owner(first.body)?.id ? "A thing cannot be attached to itself. Pick a face of another thing." : "";
  }

  private async join(first: Spot, second: Spot): Promise<void> {
    const [child, base] = await Promise.all([this.picking.named(first), this.picking.named(second)]);
    if (!child?.facts || !base?.facts) throw new Error("One of the faces no longer exists.");
    const [name, on] = [child, base].map(({ node }) => referenceOf(this.scene, node)) as [string, string];
    const found = await this.connection.call("face-pose", { child: name, face: quoted(child.faces[0]!), base: on, base_face: quoted(base.faces[0]!) });
    const along = await this.connection.call("moves-with", { thing: name });
    const bodies = [...this.scene.picture.bodies.values()].filter((body) => along.bodies.includes(body.name)).map((body) => body.id);
    this.joint = { child, base, home: fromRows(found.matrix), bodies };
    this.show();
  }

  /** Turn or shift the child on the face, from where the centres of the faces meet. */
  adjust(angle: number, shift: readonly [number, number, number]): void {
    this.angle = angle;
    this.shift = shift;
    this.show();
  }

  /** Where the child would be in the world. */
  private get pose(): Matrix4 | undefined {
    const { joint } = this;
    return joint && poseWith(this.faces(joint), joint.home, this);
  }

  private faces({ child, base, home }: Joint): FaceJoint {
    const named = ({ node, faces }: Named) => [referenceOf(this.scene, node), faces[0]!] as const;
    const centre = new Vector3(...base.facts!.centre).applyMatrix4(base.pose);
    const normal = new Vector3(...base.facts!.normal).transformDirection(base.pose);
    return { child: named(child), base: named(base), home, centre, normal };
  }

  private show(): void {
    const { joint, pose } = this;
    if (!joint || !pose) return;
    const motion = pose.clone().multiply(joint.child.pose.clone().invert());
    const there = joint.bodies.flatMap((id) => {
      const now = this.scene.picture.bodies.get(id)?.pose;
      return now ? [[id, motion.clone().multiply(fromSeven(now))] as const] : [];
    });
    this.ghost.put(new Map(there));
  }

  /** The command that attaches the child as it is shown. */
  get line(): string {
    const { joint, pose } = this;
    return joint && pose ? attachLine(this.faces(joint), pose, this.scene.units) : "";
  }

  async accept(): Promise<boolean> {
    const { line } = this;
    if (!line) return false;
    const done = await this.log.press(line);
    if (done) this.cancel();
    return done;
  }

  cancel(): void {
    if (this.joint) this.ghost.clear();
    this.joint = undefined;
    this.angle = 0;
    this.shift = [0, 0, 0];
    this.picking.marked = [];
  }
}
