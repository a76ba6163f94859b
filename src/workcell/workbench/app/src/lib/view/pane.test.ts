import { expect, test } from "vitest";
import { Box3, Vector3 } from "three";
import { Pane } from "./pane";

/** A pane of 400 × 400 pixels whose element hears what is said to it. */
function paneOf(): { pane: Pane; say: (name: string, what: object) => void } {
  const page = new EventTarget();
  const element = Object.assign(new EventTarget(), { style: {}, ownerDocument: page, clientWidth: 400, clientHeight: 400, getBoundingClientRect: () => ({ left: 100, top: 50 }), setPointerCapture: () => {}, releasePointerCapture: () => {} });
  const pane = new Pane(element as unknown as HTMLElement, () => {}, "front");
  pane.resize({ x: 0, y: 0, width: 400, height: 400 });
  pane.fit([new Vector3(0, 0, 0), new Vector3(1, 1, 1)], "front", true);
  pane.step(0);
  const say = (name: string, what: object) => {
    const event = Object.assign(new Event(name, { cancelable: true }), { pointerId: 1, isPrimary: true, pointerType: "mouse", ctrlKey: false, metaKey: false, shiftKey: false, button: 0, ...what });
    element.dispatchEvent(event);
    if (name !== "pointerdown" && name !== "wheel") page.dispatchEvent(Object.assign(new Event(name, { cancelable: true }), what, { pointerId: event.pointerId, pointerType: event.pointerType }));
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

test("a pane that became larger shows its points smaller than it could", () => {
  const { pane } = paneOf();
  const points = [new Vector3(0, 0, 0), new Vector3(1, 1, 1), new Vector3(-3, 0, 0)];
  pane.resize({ x: 0, y: 0, width: 100, height: 400 });
  pane.fit(points, "front", true);
  expect([pane.dwarfs(points), pane.holds(points)]).toEqual([false, true]);
  pane.resize({ x: 0, y: 0, width: 400, height: 400 });
  expect([pane.dwarfs(points), pane.holds(points)]).toEqual([true, true]);
});

/** The three ways in which a pane sees: in perspective, parallel, and turned. */
const WAYS: [string, (pane: Pane) => void][] = [
  ["in perspective", () => {}],
  ["in parallel", (pane) => (pane.parallel = true)],
  ["turned", (pane) => (pane.twist = 0.7)],
  ["turned in parallel", (pane) => Object.assign(pane, { twist: 0.7, parallel: true })],
];
const WHEELS = [{ deltaY: -300 }, { deltaY: 500 }, { deltaY: -4, ctrlKey: true }, { deltaY: -3, deltaMode: 1 }];

/** The point under a place of a pane, in the plane through what its camera looks at. */
function pointAt(pane: Pane, x: number, y: number): [number, number, number] {
  const { ray } = pane.ray(x, y);
  const target = new Vector3(...pane.where().slice(3));
  const way = target.clone().sub(ray.origin).dot(pane.sight) / ray.direction.dot(pane.sight);
  return ray.at(way, new Vector3()).toArray();
}

for (const [how, set] of WAYS) {
  test(`what is under the pointer stays there when the wheel turns, ${how}`, () => {
    const { pane, say } = paneOf();
    set(pane);
    for (const wheel of WHEELS) {
      const before = pane.where();
      const point = pointAt(pane, 330, 90);
      say("wheel", { deltaMode: 0, buttons: 0, clientX: 430, clientY: 140, ...wheel });
      expect(pane.where()).not.toEqual(before);
      const { x, y } = pane.project(point);
      expect([x, y].map((value) => Math.round(value * 1e4) / 1e4)).toEqual([330, 90]);
    }
  });

  test(`what the right button grabs stays under the pointer, ${how}`, () => {
    const { pane, say } = paneOf();
    set(pane);
    const point = pointAt(pane, 200, 200);
    const move = (x: number, y: number) => ({ button: 2, clientX: 100 + x, clientY: 50 + y });
    say("pointerdown", move(200, 200));
    say("pointermove", move(230, 180));
    say("pointermove", move(310, 90));
    say("pointerup", move(310, 90));
    const { x, y } = pane.project(point);
    expect([x, y].map((value) => Math.round(value * 1e4) / 1e4)).toEqual([310, 90]);
  });

  test(`what is in the middle stays there with a key, and between two fingers, ${how}`, () => {
    const { pane, say } = paneOf();
    set(pane);
    const at = pane.where().slice(3);
    pane.zoom(0.5);
    expect(pane.where().slice(3).map((value) => Math.round(value * 1e6))).toEqual(at.map((value) => Math.round(value * 1e6)));
    const point = pointAt(pane, 200, 100);
    const finger = (id: number, x: number) => ({ pointerType: "touch", pointerId: id, isPrimary: id === 1, clientX: 100 + x, clientY: 150, pageX: 100 + x, pageY: 150 });
    say("pointerdown", finger(1, 150));
    say("pointerdown", finger(2, 250));
    const before = new Vector3(...pane.where().slice(0, 3)).distanceTo(new Vector3(...pane.where().slice(3)));
    for (const wide of [60, 80, 100]) for (const [id, x] of [[1, 200 - wide], [2, 200 + wide]] as const) say("pointermove", finger(id, x));
    for (let i = 0; i < 200; i += 1) pane.step(0);
    expect(new Vector3(...pane.where().slice(0, 3)).distanceTo(new Vector3(...pane.where().slice(3)))).toBeCloseTo(before / 2, 6);
    const { x, y } = pane.project(point);
    expect(Math.hypot(x - 200, y - 100)).toBeLessThan(1);
  });
}

test("the wheel does not zoom while something is dragged", () => {
  const { pane, say } = paneOf();
  const before = pane.where();
  pane.steered = false;
  say("wheel", { deltaMode: 0, buttons: 0, deltaY: -300, clientX: 200, clientY: 200 });
  pane.where().forEach((value, i) => expect(value).toBeCloseTo(before[i]!, 9));
});

for (const [what, button] of [["turns", 0], ["shifts", 2], ["zooms", 1]] as const) {
  test(`Escape takes back a drag that ${what} the camera, and the drag moves it no more`, () => {
    const { pane, say } = paneOf();
    let [steered, cancelled] = [0, 0];
    pane.onsteer = () => (steered += 1);
    pane.oncancel = () => (cancelled += 1);
    const before = pane.state;
    say("pointerdown", { button, clientX: 200, clientY: 200, pageX: 200, pageY: 200 });
    say("keydown", { key: "Escape" });
    expect(cancelled).toBe(0); // nothing was dragged
    for (const x of [210, 230]) say("pointermove", { clientX: x, clientY: x, pageX: x, pageY: x });
    expect(pane.state).not.toEqual(before);
    say("keydown", { key: "Escape" });
    say("pointermove", { clientX: 300, clientY: 250, pageX: 300, pageY: 250 });
    for (let i = 0; i < 5; i += 1) pane.step(0);
    say("pointerup", { button, clientX: 300, clientY: 250, pageX: 300, pageY: 250 });
    [...pane.state.from, ...pane.state.at].forEach((value, i) => expect(value).toBeCloseTo([...before.from, ...before.at][i]!, 9));
    expect([pane.moved, steered, cancelled]).toEqual([before.moved, 1, 1]);
    say("keydown", { key: "Escape" });
    expect(cancelled).toBe(1);
    drag(say, button);
    expect(pane.state).not.toEqual(before);
  });
}
