import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Host } from "./host";
import { ShapeLoader } from "./shapes";
import { Shortage } from "./shortage.svelte";

/** The smallest file that can be read: a shape without triangles. */
const EMPTY = Uint32Array.from([0x46546c67, 2, 24, 4, 0x4e4f534a, 0x20207d7b]).buffer;

let answers: ((answer: Response | Error) => void)[];
let stopped: number;
let here: string[];
let shortage: Shortage;
let loader: ShapeLoader;

beforeEach(() => {
  vi.useFakeTimers();
  [answers, here, stopped, shortage] = [[], [], 0, new Shortage()];
  const fetch = (_: string, { signal }: { signal: AbortSignal }) =>
    new Promise<Response>((resolve, reject) => {
      answers.push((answer) => (answer instanceof Error ? reject(answer) : resolve(answer)));
      signal.addEventListener("abort", () => (stopped += 1));
    });
  loader = new ShapeLoader({ cell: "", fetch } as unknown as Host, shortage, (hash) => here.push(hash));
});

afterEach(() => vi.useRealTimers());

const settle = () => vi.advanceTimersByTimeAsync(1);

test("a shape that fails is mentioned once, and fetched when it is asked for again", async () => {
  loader.want(["a", "b"]);
  answers[0]!(new Response("No shape has this hash.", { status: 404 }));
  await settle();
  answers[1]!(new TypeError("Failed to fetch"));
  await settle();
  expect([here, shortage.sentence]).toEqual([[], "2 shapes are missing: No shape has this hash."]);
  shortage.again();
  expect([answers.length, shortage.sentence]).toEqual([4, ""]);
  answers[2]!(new Response(EMPTY));
  answers[3]!(new TypeError("Failed to fetch"));
  await settle();
  expect([here, shortage.sentence]).toEqual([["a"], "A shape is missing: the server does not answer."]);
  loader.want(["b"]); // it is in the next scene, too
  answers[4]!(new Response(EMPTY));
  await settle();
  expect([here, shortage.sentence]).toEqual([["a", "b"], ""]);
});

test("a shape that never comes is mentioned after a while, stopped and asked for again", async () => {
  loader.want(["a", "b"]);
  await vi.advanceTimersByTimeAsync(6000);
  answers[0]!(new Response(EMPTY));
  await vi.advanceTimersByTimeAsync(9000);
  expect([here, shortage.sentence]).toEqual([["a"], ""]); // something came meanwhile
  await vi.advanceTimersByTimeAsync(2000);
  expect(shortage.sentence).toBe("A shape has not arrived; the server has sent nothing for 10 s.");
  shortage.again();
  expect([answers.length, stopped, shortage.sentence]).toEqual([3, 1, ""]);
  answers[2]!(new Response(EMPTY));
  answers[1]!(new Response(EMPTY)); // too late
  await settle();
  expect([here, shortage.sentence]).toEqual([["a", "b"], ""]);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(shortage.sentence).toBe("");
});

test("a shape that comes slowly is not mentioned, and one that is not wanted any more neither", async () => {
  let pour!: ReadableStreamDefaultController<Uint8Array>;
  loader.want(["a"]);
  answers[0]!(new Response(new ReadableStream<Uint8Array>({ start: (one) => void (pour = one) })));
  for (const at of [0, 8, 16]) {
    await vi.advanceTimersByTimeAsync(8000);
    pour.enqueue(new Uint8Array(EMPTY, at, 8));
  }
  await settle();
  expect(shortage.sentence).toBe("");
  pour.close();
  await settle();
  expect(here).toEqual(["a"]);
  loader.want(["b"]);
  answers[1]!(new TypeError("Failed to fetch"));
  await settle();
  loader.forget("b");
  expect(shortage.sentence).toBe("");
});
