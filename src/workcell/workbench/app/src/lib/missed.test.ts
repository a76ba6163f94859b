import { expect, test, vi } from "vitest";
import { changedBy, inWords, Missed } from "./missed";
import { Picture } from "./picture";
import type { Difference, Scene } from "./protocol";

function cell(): Picture {
  const picture = new Picture();
  const body = (id: string, owner: string, link = -1) => ({ id, name: id, owner, link, pose: [0, 0, 0, 1, 0, 0, 0], pieces: [] });
  const node = (id: string, kind: string, name: string) => ({ id, kind, name, note: "", rank: "" });
  picture.replace({
    bodies: [body("link1", "r1", 1), body("b1", "o1"), body("b2", "o2")],
    nodes: [node("r1", "robot", "Puma_1"), node("o1", "object", "brick"), node("o2", "object", "table"), node("p1", "program", "demo")],
    robots: [{ id: "r1", name: "Puma_1" }],
    zones: [],
  } as unknown as Scene);
  return picture;
}

const difference = (parts: object) => ({ type: "difference", ...parts }) as unknown as Difference;
const pose = [1, 0, 0, 1, 0, 0, 0];

test("a difference of the picture is told in words", () => {
  const told = (parts: object) => inWords(cell(), difference(parts));
  expect(told({ nodes: { appeared: [{ id: "o3", name: "bolt" }] }, bodies: { appeared: [{ id: "b3" }] } })).toBe("bolt was added");
  expect(told({ nodes: { went: ["o1"] }, bodies: { went: ["b1"] } })).toBe("brick was removed");
  expect(told({ robots: { changed: [{ id: "r1", values: [1] }] }, bodies: { changed: [{ id: "link1", pose }, { id: "b1", pose }] } })).toBe("Puma_1 and brick moved");
  expect(told({ bodies: { changed: [{ id: "b2", pieces: [] }] } })).toBe("table was changed");
  expect(told({ nodes: { changed: [{ id: "o1", name: "block" }] } })).toBe("brick was renamed block");
  const many = ["a", "b", "c", "d", "e"].map((name) => ({ id: name, name }));
  expect(told({ nodes: { appeared: many } })).toBe("a, b and 3 more were added");
  expect(told({ nodes: { appeared: many.slice(0, 2), went: ["o2"] } })).toBe("a and b were added; table was removed");
  expect(told({})).toBe("");
});

test("what the picture does not have is told by the thing that the command names", () => {
  expect(changedBy('edit program program:"my prog" "wait 1"')).toBe("my prog was changed");
  expect(changedBy("set-signal signal:go 1.0")).toBe("go was changed");
  expect(changedBy("units mm")).toBe("The cell was changed");
});

test("a change is told once its picture is there, with who made it, or after a moment without one", () => {
  vi.useFakeTimers();
  const sentences: string[] = [];
  const missed = new Missed(cell(), (sentence) => sentences.push(sentence));
  missed.hear(difference({ nodes: { went: ["o1"] } })); // nothing was missed
  missed.note("Eva", "move-joints-absolute robot:Puma_1 (0.17, 0)");
  expect(sentences).toEqual([]);
  missed.hear(difference({ robots: { changed: [{ id: "r1", values: [1] }] } }));
  missed.note("", "set-signal signal:go 1");
  vi.runAllTimers();
  expect(sentences).toEqual(["Puma_1 moved (by Eva). The view shows the recording.", "go was changed. The view shows the recording."]);
  vi.useRealTimers();
});
