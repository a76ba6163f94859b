// On request, the frame of the world and those of the links of the selected robot, with labels, at the time that is shown.
import { Color, Group, type Matrix4, Vector3 } from "three";
import type { Bench } from "../../bench.svelte";
import { Latest } from "../../latest.svelte";
import type { JointFrames } from "../../commands";
import { fromSeven } from "../../rigid";
import { quoted } from "../../text";
import { AXES, type Theme } from "../../themes";
import { Labels } from "../labels";
import type { Layer } from "../layer";
import type { Pane } from "../pane";
import type { Stage } from "../stage";
import { ThickLines } from "../thick_lines";

const COLOURS = AXES.map((colour) => new Color(colour));
const WIDTH = 2.5; // pixels
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
  private lines = new ThickLines(WIDTH, { depthTest: false });
  private labels = new Labels();
  private frames: Frame[] = [];
  private answer = new Latest<JointFrames>();

  constructor(
    private bench: Bench,
    private stage: Stage,
  ) {
    this.group.name = "frames";
    this.lines.renderOrder = 8;
    this.group.add(this.lines, this.labels.group);
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
    const names = this.frames.map((frame) => {
      const pose = this.now(frame);
      const at = new Vector3().setFromMatrixPosition(pose);
      COLOURS.forEach((colour, i) => {
        const end = new Vector3().setFromMatrixColumn(pose, i).multiplyScalar(frame.label === "world" ? WORLD : LENGTH).add(at);
        points.push(...at, ...end);
        colours.push(...colour, ...colour);
      });
      return { text: frame.label, at, middle: frame.label === "world" ? ([1, 1.3] as const) : ([-0.06, -0.2] as const) };
    });
    this.lines.draw(points, colours);
    this.labels.show(names);
    this.stage.changed();
  }

  appear(pane: Pane): void {
    this.labels.appear(pane);
  }

  theme(theme: Theme): void {
    this.labels.theme(theme);
    this.draw();
  }

  dispose(): void {
    this.lines.dispose();
    this.labels.dispose();
  }
}
