import { expect, test } from "vitest";
import { Box3, Vector3 } from "three";
import { Pane } from "./pane";

/** A pane of 400 × 400 pixels whose element hears what is said to it. */
function paneOf(): { pane: Pane; say: (name: string, what: object) => void } {
  const page = new EventTarget();
  const element = Object.assign(new EventTarget(), { style: {}, ownerDocument: page, clientWidth: 400, clientHeight: 400, setPointerCapture: () => {}, releasePointerCapture: () => {} });
  const pane = new Pane(element as unknown as HTMLElement, () => {}, "front");
  pane.resize({ x: 0, y: 0, width: 400, height: 400 });
  pane.fit([new Vector3(0, 0, 0), new Vector3(1, 1, 1)], "front", true);
  pane.step(0);
  const say = (name: string, what: object) => {
    const event = Object.assign(new Event(name, { cancelable: true }), { pointerId: 1, pointerType: "mouse", ctrlKey: false, metaKey: false, shiftKey: false, button: 0, ...what });
    (name === "pointerdown" ? element : page).dispatchEvent(event);
    pane.step(0);
  };
  return { pane, say };
}

function drag(say: (name: string, what: object) => void, button: number): void {
  say("pointerdown", { button, clientX: 200, clientY: 200, pageX: 200, pageY: 200 });
  for (const x of [210, 230, 260]) say("pointermove", { clientX: x, clientY: 200, pageX: x, pageY: 200 });
  say("pointerup", { button, clientX: 260, clientY: 200, pageX: 260, pageY: 200 });
}

test("a drag that turns the camera is told from one that shifts it", () => {
  const { pane, say } = paneOf();
  let turns = 0;
  pane.onturn = () => (turns += 1);
  const before = pane.where();
  drag(say, 2);
  expect(pane.where()).not.toEqual(before);
  pane.zoom(0.5);
  expect(turns).toBe(0);
  drag(say, 0);
  expect(turns).toBe(1);
  pane.orbit(0.1, 0);
  expect(turns).toBe(2);
});

test("a flight to another side is no turn by hand", () => {
  const { pane, say } = paneOf();
  let turns = 0;
  drag(say, 2);
  pane.onturn = () => (turns += 1);
  pane.fit([new Vector3(0, 0, 0), new Vector3(1, 1, 1)], "top", true);
  pane.step(0);
  expect(turns).toBe(0);
});

test("a parallel picture shows and picks what is behind the eye", () => {
  const { pane } = paneOf();
  pane.depth(3);
  pane.parallel = true;
  const eye = new Vector3(...pane.where().slice(0, 3));
  const box = new Box3().setFromCenterAndSize(eye.clone().add(new Vector3(0, -1, 0)), new Vector3(0.1, 0.1, 0.1));
  expect(pane.sees(box)).toBe(true);
  expect(pane.ray(200, 200).ray.intersectsBox(box)).toBe(true);
  pane.parallel = false;
  expect(pane.sees(box)).toBe(false);
  expect(pane.ray(200, 200).ray.intersectsBox(box)).toBe(false);
});

test("more to see on the way to a side does not end the way", () => {
  const { pane } = paneOf();
  pane.fit([new Vector3(0, 0, 0), new Vector3(1, 1, 1)], "top");
  pane.step(performance.now() + 100);
  pane.fit([new Vector3(0, 0, 0), new Vector3(3, 1, 1)]);
  pane.step(performance.now() + 10_000);
  const [eye, target] = [new Vector3(...pane.where().slice(0, 3)), new Vector3(...pane.where().slice(3, 6))];
  expect(eye.sub(target).angleTo(new Vector3(0, 0, 1))).toBeLessThan(0.01);
});
