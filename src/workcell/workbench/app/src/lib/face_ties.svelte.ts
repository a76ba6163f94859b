// On which face an object stands, with its turn and shift there, and what stands on its own faces; and the commands that change this.
import { type Matrix4, Vector3 } from "three";
import type { OnFace } from "./commands";
import type { Connection } from "./connection.svelte";
import { type Adjusted, adjustedTo, attachLine, type FaceJoint, poseWith } from "./face_joint";
import type { Log } from "./log.svelte";
import { referenceOf } from "./references";
import { fromRows } from "./rigid";
import type { Scene } from "./scene.svelte";
import { quoted } from "./text";
import type { TreeNode } from "./tree";

export class FaceTies {
  /** The face on which the object stands, and that of its base; undefined if it stands on none. */
  stands = $state.raw<OnFace>();
  carries = $state.raw<readonly OnFace[]>([]);
  private joint = $state.raw<{ faces: FaceJoint; pose: Matrix4 }>();
  private turn = 0;

  constructor(
    private connection: Pick<Connection, "call" | "link">,
    private scene: Scene,
    private log: Log,
    private node: TreeNode,
  ) {}

  /** Its turn and shift; undefined if it stands on no face, or a face is gone. */
  get adjusted(): Adjusted | undefined {
    return this.joint && adjustedTo(this.joint.faces, this.joint.pose);
  }

  /** Ask for all of it; call it when the cell changed. */
  async refresh(): Promise<void> {
    const turn = (this.turn += 1);
    if (this.connection.link !== "open") return;
    const found = await this.connection.call("face show", { thing: referenceOf(this.scene, this.node) }).catch(() => undefined);
    const joint = found?.stands ? await this.joined(found.stands).catch(() => undefined) : undefined;
    if (turn !== this.turn) return;
    this.stands = found?.stands ?? undefined;
    this.carries = found?.carries ?? [];
    this.joint = joint;
  }

  /** Where the object and the face of its base are. */
  private async joined({ face, base, base_face }: OnFace): Promise<{ faces: FaceJoint; pose: Matrix4 } | undefined> {
    const [child, on] = [referenceOf(this.scene, this.node), `object:${quoted(base)}`];
    const [home, pose, below, list] = await Promise.all([
      this.connection.call("face-pose", { child, face: quoted(face), base: on, base_face: quoted(base_face) }),
      this.connection.call("where", { thing: child }),
      this.connection.call("where", { thing: on }),
      this.connection.call("faces", { thing: on }),
    ]);
    const facts = list.faces.find((one) => one.name === base_face);
    if (!facts) return undefined;
    const place = fromRows(below.matrix);
    const centre = new Vector3(...facts.centre).applyMatrix4(place);
    const normal = new Vector3(...facts.normal).transformDirection(place);
    return { faces: { child: [child, face], base: [on, base_face], home: fromRows(home.matrix), centre, normal }, pose: fromRows(pose.matrix) };
  }

  /** Give the object another turn or shift on its face; false if that was refused. */
  adjust(wanted: Adjusted): Promise<boolean> {
    const { joint } = this;
    if (!joint) return Promise.resolve(false);
    return this.log.press(attachLine(joint.faces, poseWith(joint.faces, joint.pose, wanted), this.scene.units));
  }

  /** Take an object off the face of this one. */
  detach(thing: string): Promise<boolean> {
    return this.log.press(`face detach object:${quoted(thing)}`);
  }
}
