// On request, the frame of the world and those of the links of the selected robot, with labels, at the time that is shown.
import { BufferAttribute, BufferGeometry, Color, Group, LineBasicMaterial, LineSegments, type Matrix4, Sprite, Vector3 } from "three";
import type { Bench } from "../../bench.svelte";
import { Latest } from "../../latest.svelte";
import type { JointFrames } from "../../commands";
import { fromSeven } from "../../rigid";
import { quoted } from "../../text";
import { dropLabel, type Label, labelOf } from "../label";
import type { Layer } from "../layer";
import type { Stage } from "../stage";

const AXES = ["#e0473c", "#3fa34d", "#3a78d8"].map((colour) => new Color(colour));
const LENGTH = 0.14; // m
const WORLD = 0.3;

interface Frame {
  pose: Matrix4;
  label: string;
  /** The body that it moves with; "" for none. */
  body: string;
}

export class FrameLayer implements Layer {
  readonly kind = "overlay";
  readonly group = new Group();
  private lines = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ vertexColors: true, depthTest: false, transparent: true }));
  private labels = new Map<string, Label>();
  private frames: Frame[] = [];
  private answer = new Latest<JointFrames>();

  constructor(
    private bench: Bench,
    private stage: Stage,
  ) {
    this.group.name = "frames";
    this.lines.frustumCulled = false;
    this.lines.renderOrder = 8;
    $effect(() => {
      void bench.scene.seen;
      const { robot } = bench.selection;
      if (bench.preferences.view.frames && robot) this.answer.ask(() => bench.connection.call("joint-frames", { robot: quoted(robot.name) }));
      else this.answer.clear();
    });
    $effect(() => {
      void [bench.time.mode, bench.scene.seen];
      this.frames = bench.preferences.view.frames ? this.found(this.answer.value) : [];
      this.draw();
    });
  }

  /** How many frames are drawn, and where the frame with a label is [m]; for tests. */
  get drawn(): number {
    return this.frames.length;
  }

  at(label: string): number[] {
    const frame = this.frames.find((one) => one.label === label);
    return frame ? new Vector3().setFromMatrixPosition(this.now(frame)).toArray() : [];
  }

  private found(frames: JointFrames | undefined): Frame[] {
    const { bodies, robots } = this.bench.scene.picture;
    const world = { pose: fromSeven([0, 0, 0, 1, 0, 0, 0]), label: "world", body: "" };
    const robot = [...robots.values()].find((one) => one.name === frames?.robot);
    if (!frames || !robot) return [world];
    const carriers = new Map([...bodies.values()].filter((body) => body.owner === robot.id && body.link >= 0).map((body) => [body.link, body.id]));
    return [world, ...frames.poses.map((pose, i) => ({ pose: fromSeven(pose), label: i === 0 ? "base" : String(i), body: carriers.get(i) ?? "" }))];
  }

  /** Where a frame is at the time that is shown: it moves with the body of its link. */
  private now({ pose, body }: Frame): Matrix4 {
    const stands = this.bench.scene.picture.bodies.get(body)?.pose;
    const shown = stands && this.bench.poses.of(body);
    return stands && shown ? fromSeven(shown).multiply(fromSeven(stands).invert()).multiply(pose) : pose.clone();
  }

  moved(bodies: ReadonlySet<string>): void {
    if (this.frames.some((frame) => bodies.has(frame.body))) this.draw();
  }

  private draw(): void {
    const points: number[] = [];
    const colours: number[] = [];
    this.group.clear();
    this.group.add(this.lines);
    for (const frame of this.frames) {
      const pose = this.now(frame);
      const at = new Vector3().setFromMatrixPosition(pose);
      AXES.forEach((colour, i) => {
        const end = new Vector3().setFromMatrixColumn(pose, i).multiplyScalar(frame.label === "world" ? WORLD : LENGTH).add(at);
        points.push(...at, ...end);
        colours.push(...colour, ...colour);
      });
      const { material, wide } = this.label(frame.label);
      const sprite = new Sprite(material);
      sprite.position.copy(at);
      sprite.center.set(frame.label === "world" ? 1 : -0.06, frame.label === "world" ? 1.3 : -0.2);
      sprite.scale.set(0.024 * wide, 0.024, 1);
      sprite.renderOrder = 9;
      this.group.add(sprite);
    }
    this.lines.geometry.setAttribute("position", new BufferAttribute(Float32Array.from(points), 3));
    this.lines.geometry.setAttribute("color", new BufferAttribute(Float32Array.from(colours), 3));
    this.lines.geometry.setDrawRange(0, points.length / 3);
    this.group.visible = points.length > 0;
    this.stage.changed();
  }

  private label(text: string): Label {
    let label = this.labels.get(text);
    if (!label) this.labels.set(text, (label = labelOf(text)));
    return label;
  }

  dispose(): void {
    this.lines.geometry.dispose();
    this.lines.material.dispose();
    this.labels.forEach(dropLabel);
  }
}
