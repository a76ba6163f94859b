import { DirectionalLight, HemisphereLight, Vector3 } from "three";
import { expect, test } from "vitest";
import { type Lamp, Lights } from "./lights";

const PLAIN = { key: 1, ambient: 1 };
const lamp = (change: Partial<Lamp> = {}): Lamp => ({ name: "lamp", brightness: 1, ambient: false, colour: [1, 1, 1], position: [2, 0, 1.5], aim: null, ...change });

/** The lights of a view, and the direction from which the one with the shadow comes. */
function shone(...lamps: Lamp[]): { lights: Lights; from: Vector3; sun: DirectionalLight } {
  const lights = new Lights();
  lights.surround(new Vector3(0, 0, 0.5), 2);
  lights.show(lamps, PLAIN);
  const sun = lights.children.find((one) => one instanceof DirectionalLight)!;
  return { lights, sun, from: sun.position.clone().sub(sun.target.position).normalize() };
}

test("a lamp shines from its place at the middle of the cell, or at the point that it aims at", () => {
  expect(shone(lamp()).from.distanceTo(new Vector3(2, 0, 1).normalize())).toBeLessThan(1e-9);
  expect(shone(lamp({ aim: [0, 0, 0.5] })).from.distanceTo(new Vector3(2, 0, 1).normalize())).toBeLessThan(1e-9);
  expect(shone(lamp({ aim: [2, 3, 1.5] })).from.distanceTo(new Vector3(0, -1, 0))).toBeLessThan(1e-9);
  expect(shone(lamp({ aim: [2, 3, 1.5] })).sun.target.position.toArray()).toEqual([0, 0, 0.5]); // the shadow still covers the cell
});

test("a lamp that stands where it shines at lights from all sides, as in pictures", () => {
  const sky = ({ lights }: ReturnType<typeof shone>) => lights.children.find((one) => one instanceof HemisphereLight)!.intensity;
  const without = shone();
  expect(sky(shone(lamp({ aim: [2, 0, 1.5], brightness: 3 })))).toBeCloseTo(3 * sky(without));
  expect(shone(lamp({ aim: [2, 0, 1.5] })).sun.intensity).toBe(without.sun.intensity);
});
