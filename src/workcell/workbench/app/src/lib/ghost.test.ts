import { Vector3 } from "three";
import { describe, expect, it, vi } from "vitest";
import type { Connection } from "./connection.svelte";
import { Ghost } from "./ghost.svelte";
import { Scene } from "./scene.svelte";

const UNIT = [1, 0, 0, 0];

/** A ghost of a robot with one turning joint; `x` is where the server has its body with any joint value. */
function ghostOf(answers: { x?: number; warm?: boolean; refuses?: boolean } = {}) {
  const scene = new Scene(() => {});
  scene.picture.robots.set("r", { id: "r", name: "Arm", joints: [{ prismatic: false }] } as never);
  scene.picture.bodies.set("b", { id: "b", name: "Arm.link" } as never);
  const asked: string[] = [];
  const call = (command: string, { joints }: { joints: number[] }) => {
    asked.push(command);
    if (answers.refuses) return Promise.reject(new Error("no such joints"));
    if (command === "joint-frames")
      return Promise.resolve({ robot: "Arm", joints: [0], poses: [[0, 0, 0, ...UNIT], [1, 0, 0, ...UNIT]], riders: [{ body: "Arm.link", frame: 1, pose: [1, 0, 0, ...UNIT] }], text: "" });
    const q = joints[0]!;
    const pose = answers.x === undefined ? [Math.cos(q), Math.sin(q), 0, Math.cos(q / 2), 0, 0, Math.sin(q / 2)] : [answers.x, 0, 0, ...UNIT];
    return Promise.resolve({ bodies: ["Arm.link"], poses: [pose], contacts: [] });
  };
  const ghost = new Ghost({ call, status: { warm: answers.warm ?? true } } as unknown as Connection, scene);
  const at = () => [...ghost.poses.values()].map((pose) => new Vector3().setFromMatrixPosition(pose).toArray().slice(0, 2));
  return { ghost, asked, at };
}

const turned = (q: number) => [[expect.closeTo(Math.cos(q), 9), expect.closeTo(Math.sin(q), 9)]];

describe("a ghost", () => {
  it("follows every value at once after the first answer", async () => {
    const { ghost, asked, at } = ghostOf();
    ghost.show("r", [0.1]);
    await vi.waitFor(() => expect(ghost.checked).toBe(true));
    for (const q of [0.2, 0.3, 0.4]) {
      ghost.show("r", [q]);
      expect(at()).toEqual(turned(q));
    }
    expect(asked.filter((one) => one === "joint-frames")).toHaveLength(1);
  });

  it("looks for contacts of the last value", async () => {
    const { ghost, asked } = ghostOf();
    for (const q of [0.1, 0.2, 0.3]) ghost.show("r", [q]);
    await vi.waitFor(() => expect(asked.filter((one) => one === "body-poses")).toHaveLength(2));
  });

  it("looks for no contacts while engines are loaded", async () => {
    const { ghost, asked, at } = ghostOf({ warm: false });
    ghost.show("r", [0.7]);
    await vi.waitFor(() => expect(at()).toEqual(turned(0.7)));
    expect(asked).toEqual(["joint-frames"]);
    expect(ghost.checked).toBe(false);
  });

  it("is where the server has it if both differ", async () => {
    const { ghost, asked, at } = ghostOf({ x: 5 });
    ghost.show("r", [0.7]);
    await vi.waitFor(() => expect(at()).toEqual([[5, 0]]));
    ghost.show("r", [0.8]);
    await vi.waitFor(() => expect(asked.filter((one) => one === "joint-frames")).toHaveLength(2));
  });

  it("goes with values that the robot cannot have, and stays away after it was cleared", async () => {
    const refused = ghostOf({ refuses: true });
    refused.ghost.show("r", [99]);
    await vi.waitFor(() => expect(refused.asked).toHaveLength(1));
    expect(refused.at()).toEqual([]);
    const cleared = ghostOf();
    cleared.ghost.show("r", [0.1]);
    cleared.ghost.clear();
    await new Promise((done) => setTimeout(done, 80));
    expect(cleared.at()).toEqual([]);
  });
});
