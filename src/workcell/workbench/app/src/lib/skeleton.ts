// The skeleton of an arm: its link frames as axes, and the lines between them.
import { Color, Group, type Matrix4, Mesh, MeshBasicMaterial, SphereGeometry, Vector3 } from "three";
import { AXES } from "./themes";
import { ThickLines } from "./view/thick_lines";

const COLOURS = AXES.map((colour) => new Color(colour));
const WIDTH = 3; // pixels
const LEAST = 0.1; // m: the size of an arm without lengths

/** The lines and axes of link frames in the world, the base first. */
export function skeletonOf(frames: readonly Matrix4[], colour: string): Group {
  const group = new Group();
  const at = frames.map((frame) => new Vector3().setFromMatrixPosition(frame));
  const whole = at.slice(1).reduce((sum, point, i) => sum + point.distanceTo(at[i]!), 0);
  const size = Math.max(LEAST, whole);
  const points: number[] = [];
  const colours: number[] = [];
  const line = (from: Vector3, to: Vector3, paint: Color) => {
    points.push(...from.toArray(), ...to.toArray());
    colours.push(...paint.toArray(), ...paint.toArray());
  };
  const bone = new Color(colour);
  frames.forEach((frame, i) => {
    // Along the axis of the joint first, then across it, as d and a go.
    const before = frames[i - 1];
    if (before) {
      const z = new Vector3().setFromMatrixColumn(before, 2);
      const corner = at[i - 1]!.clone().addScaledVector(z, at[i]!.clone().sub(at[i - 1]!).dot(z));
      line(at[i - 1]!, corner, bone);
      line(corner, at[i]!, bone);
    }
    COLOURS.forEach((paint, axis) => line(at[i]!, new Vector3().setFromMatrixColumn(frame, axis).multiplyScalar(0.1 * size).add(at[i]!), paint));
    const ball = new Mesh(new SphereGeometry(0.016 * size, 16, 12), new MeshBasicMaterial({ color: bone, depthTest: false, transparent: true }));
    ball.position.copy(at[i]!);
    group.add(ball);
  });
  const lines = new ThickLines(WIDTH, { depthTest: false });
  lines.draw(points, colours);
  group.add(lines);
  return group;
}
