import { Matrix4 } from "three";
import { describe, expect, it, vi } from "vitest";
import type { Connection } from "./connection.svelte";
import type { Ghost } from "./ghost.svelte";
import type { Log } from "./log.svelte";
import { closest, freeName, LOCKED, moved, Pendant } from "./pendant.svelte";
import type { RobotInfo } from "./protocol";
import type { Recording } from "./recording.svelte";
import { Jogging } from "./jogging.svelte";
import { fromPlace as made, placeOf as read } from "./rigid";
import { Scene } from "./scene.svelte";
import type { Selection } from "./selection.svelte";
import { Time } from "./time.svelte";

type Three = [number, number, number];
const fromPlace = (xyz: Three, angles: Three) => made({ xyz, angles }, "fanuc_wpr");
const placeOf = (pose: Matrix4) => read(pose, "fanuc_wpr");

describe("jogging", () => {
  const pose = fromPlace([0.5, 0.2, 0.3], [Math.PI, 0.3, -0.4]);

  it("shifts along the axes of the world", () => {
    const { xyz, angles } = placeOf(moved(pose, fromPlace([0, 0, 0.01], [0, 0, 0]), "world"));
    expect(xyz[2]).toBeCloseTo(0.31, 12);
    expect(angles[1]).toBeCloseTo(0.3, 9);
  });

  it("shifts along the axes of the hand", () => {
    const after = moved(pose, fromPlace([0, 0, 0.01], [0, 0, 0]), "hand");
    const z = [8, 9, 10].map((k) => pose.elements[k]!);
    placeOf(after).xyz.forEach((value, i) => expect(value).toBeCloseTo([0.5, 0.2, 0.3][i]! + 0.01 * z[i]!, 12));
  });

  it("turns about the point of the hand in both frames", () => {
    for (const frame of ["world", "hand"] as const) {
      const after = moved(pose, fromPlace([0, 0, 0], [0, 0, 0.5]), frame);
      placeOf(after).xyz.forEach((value, i) => expect(value).toBeCloseTo([0.5, 0.2, 0.3][i]!, 12));
      const turn = frame === "world" ? after.clone().multiply(pose.clone().invert()) : pose.clone().invert().multiply(after);
      turn.setPosition(0, 0, 0);
      new Matrix4().makeRotationZ(0.5).elements.forEach((value, i) => expect(turn.elements[i]).toBeCloseTo(value, 9));
    }
  });
});

describe("choices", () => {
  it("take the nearest way", () => {
    const ways = [[3, 0], [0.2, -0.1], [0.3, 0]].map((joints) => ({ joints }));
    expect(closest(ways, [0, 0])).toBe(ways[1]);
    expect(closest(ways.slice(3), [0])).toBeUndefined();
  });

  it("name a thing by the first free number", () => {
    expect(freeName("target", new Set(["target1", "target3"]))).toBe("target2");
  });
});

const robot = (id: string, joints = 2) => ({ id, name: `robot ${id}`, model: "arm", joints: Array.from({ length: joints }, (_, i) => ({ name: `j${i}` })), values: [] }) as unknown as RobotInfo;

describe("a drag", () => {
  /** A pendant with two robots, the first of which is dragged; what it said, and how often its ghost went away. */
  function dragging() {
    const scene = new Scene(() => {});
    const time = new Time();
    const { robots } = scene.picture;
    robots.set("a", robot("a")).set("k", robot("k"));
    const seen = { said: [] as string[], cleared: 0, lines: [] as string[] };
    const log = { press: (line: string) => (seen.lines.push(line), Promise.resolve(true)) } as unknown as Log;
    const ghost = { clear: () => (seen.cleared += 1), show: () => {} } as unknown as Ghost;
    const pendant = new Pendant({} as Connection, scene, {} as Selection, {} as Recording, log, ghost, time);
    pendant.onrefused = (_, sentence) => seen.said.push(sentence);
    pendant.grasp();
    return { pendant, scene, robots, seen, time };
  }

  it("ends with one message when its robot goes, and moves no other one", () => {
    const { pendant, scene, robots, seen } = dragging();
    robots.delete("a");
    scene.redraw([]);
    expect([seen.cleared, seen.said]).toEqual([1, ["robot a was removed while it was being dragged."]]);
    expect(pendant.release()).toBe(false);
    expect(seen.said).toHaveLength(1);
  });

  it("ends when its robot gets other joints, also without word of the scene", () => {
    const { pendant, robots, seen } = dragging();
    robots.set("a", robot("a", 3));
    expect(pendant.release()).toBe(false);
    expect(seen.said).toEqual(["robot a was changed while it was being dragged."]);
  });

  it("goes on when its robot moves or is renamed", () => {
    const { pendant, scene, robots, seen } = dragging();
    robots.set("a", { ...robot("a"), name: "b", values: [1, 2] });
    scene.redraw([]);
    expect([pendant.release(), pendant.release(), seen.said]).toEqual([true, false, []]);
  });

  it("moves nothing while the recording is shown, since the robot is elsewhere; a target is learned as it is now", async () => {
    const { pendant, seen, time } = dragging();
    time.resize(5);
    time.seek(2);
    const moves = [() => pendant.goTo([1, 2]), () => pendant.bring(new Matrix4()), () => pendant.home(), () => pendant.visit("t"), () => pendant.jog(0, 1)];
    for (const move of moves) expect(await move()).toBe(false);
    expect([seen.lines, seen.said]).toEqual([[], moves.map(() => LOCKED)]);
    expect(await pendant.learn("t")).toBe(true);
    time.toNow();
    expect([pendant.locked, await pendant.home()]).toEqual([false, true]);
    expect(seen.lines).toEqual(['learn target t from "robot a"', 'home "robot a"']);
  });
});

describe("the tool that is shown", () => {
  const UNIT = [1, 0, 0, 0];
  const rows = (x: number) => [[1, 0, 0, x], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]];

  /** A sliding arm that stands on a rail at 1.2 m now and at 0 in the recording; its bodies are where `links` has them. */
  function carried(links = [0, 1]) {
    const scene = new Scene(() => {});
    scene.picture.robots.set("a", { ...robot("a", 1), hand: ["a/finger"], values: [0.3] });
    for (const link of links) scene.picture.bodies.set(`a/${link}`, { id: `a/${link}`, owner: "a", link } as never);
    scene.picture.bodies.set("a/finger", { id: "a/finger", owner: "a", link: 1 } as never);
    const time = new Time();
    const at = (q: number, base: number) => ({ base, q });
    const seen = { asked: [] as string[], shown: at(0.3, 1.2), loaded: true };
    const call = (_: string, { joints, frame }: { joints: number[]; frame: string }) => {
      seen.asked.push(frame);
      const base = frame === "world" ? 1.2 : 0;
      return Promise.resolve({ tool: rows(base + joints[0]! + 0.4), links: [rows(base), rows(base + joints[0]!)] });
    };
    const pose = (body: string) => (seen.loaded ? [seen.shown.base + (body === "a/1" ? seen.shown.q : 0), 0, 0, ...UNIT] : undefined);
    const recording = { pose } as unknown as Recording;
    const pendant = new Pendant({ call } as unknown as Connection, scene, {} as Selection, recording, {} as Log, {} as Ghost, time);
    const shows = async (q: number, base: number) => {
      seen.shown = at(q, base);
      await pendant.locate([q]);
      return pendant.tool?.elements[12];
    };
    return { pendant, time, seen, shows };
  }

  it.each([[[0, 1]], [[0]], [[1]]])("is on the robot where the recording has it, with bodies on the links %j", async (links) => {
    const { time, shows } = carried(links);
    expect(await shows(0.3, 1.2)).toBeCloseTo(1.9, 9);
    time.resize(5);
    time.seek(2);
    expect(await shows(0.3, 0)).toBeCloseTo(0.7, 9);
    expect(await shows(0.1, 0.5)).toBeCloseTo(1, 9);
  });

  it("follows what is played, for one question", async () => {
    const { time, seen, shows } = carried();
    time.resize(5);
    time.play();
    for (const [q, base] of [[0, 0], [0.1, 0.2], [0.2, 0.6]] as const) expect(await shows(q, base)).toBeCloseTo(q + base + 0.4, 9);
    expect(seen.asked).toEqual(["base"]);
  });

  it("is being located until the answer about this robot is here", async () => {
    const { pendant, shows } = carried();
    expect(pendant.locating).toBe(true);
    await shows(0.3, 1.2);
    expect(pendant.locating).toBe(false);
    const again = shows(0.4, 1.2);
    expect(pendant.locating).toBe(false); // what is shown stays meanwhile
    await again;
  });

  it("is not shown while it is not known: the recording is loaded, or nothing is drawn on the last link", async () => {
    const drawn = carried();
    drawn.seen.loaded = false;
    expect(await drawn.shows(0.1, 0)).toBeUndefined();
    const bare = carried([0]);
    await bare.shows(0, 0);
    bare.time.resize(5);
    bare.time.play();
    expect(await bare.shows(0.1, 0)).toBeUndefined();
  });
});

describe("a jog button that is held", () => {
  /** A pendant with two robots, the second of which is selected; the lines that were sent and what was said. */
  function holding() {
    vi.useFakeTimers();
    const scene = new Scene(() => {});
    const { robots } = scene.picture;
    robots.set("a", robot("a")).set("k", robot("k"));
    const seen = { said: [] as string[], lines: [] as string[] };
    const log = { press: (line: string) => (seen.lines.push(line), Promise.resolve(true)) } as unknown as Log;
    const selection = { get robot() { return robots.get("k"); } } as unknown as Selection;
    const time = new Time();
    const pendant = new Pendant({} as Connection, scene, selection, {} as Recording, log, { clear: () => {} } as unknown as Ghost, time);
    pendant.onrefused = (_, sentence) => seen.said.push(sentence);
    return { jogging: new Jogging(pendant, time), scene, robots, seen };
  }

  it("goes on step by step and stops at the release, whose click is no step", async () => {
    const { jogging, seen } = holding();
    const over = jogging.hold(1, 1);
    await vi.advanceTimersByTimeAsync(402);
    const went = seen.lines.length;
    expect(went).toBeGreaterThan(1);
    jogging.release();
    jogging.click(1, 1);
    await vi.runAllTimersAsync();
    await over;
    expect([seen.lines.length, seen.said]).toEqual([went, []]);
    jogging.click(1, 1); // by the keyboard
    expect(seen.lines).toHaveLength(went + 1);
    vi.useRealTimers();
  });

  it.each([100, 402])("moves no other robot when its own is removed after %i ms", async (after) => {
    const { jogging, scene, robots, seen } = holding();
    void jogging.hold(1, 1);
    await vi.advanceTimersByTimeAsync(after);
    const before = [...seen.lines];
    robots.delete("k");
    scene.redraw([]);
    await vi.runAllTimersAsync();
    jogging.release();
    jogging.click(1, 1);
    expect(seen.lines).toEqual(before);
    expect(before.every((line) => line.includes('"robot k"'))).toBe(true);
    expect(seen.said).toEqual(["robot k was removed while it was being jogged."]);
    vi.useRealTimers();
  });
});
