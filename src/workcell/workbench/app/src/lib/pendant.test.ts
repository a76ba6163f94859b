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
    expect([seen.cleared, seen.said]).toEqual([1, ["robot a was removed while it was dragged."]]);
    expect(pendant.release()).toBe(false);
    expect(seen.said).toHaveLength(1);
  });

  it("ends when its robot gets other joints, also without word of the scene", () => {
    const { pendant, robots, seen } = dragging();
    robots.set("a", robot("a", 3));
    expect(pendant.release()).toBe(false);
    expect(seen.said).toEqual(["robot a was changed while it was dragged."]);
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
    expect(seen.said).toEqual(["robot k was removed while it was jogged."]);
    vi.useRealTimers();
  });
});
