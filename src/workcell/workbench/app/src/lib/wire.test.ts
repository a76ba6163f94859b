import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ServerMessage } from "./protocol";
import { Refusal, Wire } from "./wire";

class FakeSocket {
  static OPEN = 1;
  static made: FakeSocket[] = [];
  readyState = 1;
  sent: string[] = [];
  onopen = () => {};
  onclose: (event: { code: number }) => void = () => {};
  onmessage: (event: { data: string | ArrayBuffer }) => void = () => {};

  constructor(readonly url: string) {
    FakeSocket.made.push(this);
  }

  send(text: string): void {
    this.sent.push(text);
  }

  say(message: object): void {
    this.onmessage({ data: JSON.stringify(message) });
  }
}

let states: string[];
let heard: ServerMessage[];
let wire: Wire;
const socket = () => FakeSocket.made.at(-1)!;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("WebSocket", FakeSocket);
  FakeSocket.made = [];
  states = [];
  heard = [];
  wire = new Wire("ws://here/ws", { message: (message) => heard.push(message), state: (state) => states.push(state) });
  wire.open();
  socket().onopen();
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("answers find their requests in any order", async () => {
  const one = wire.ask<ServerMessage>({ type: "command", line: "a" });
  const two = wire.ask<ServerMessage>({ type: "command", line: "b" });
  socket().say({ type: "result", request: two.request, text: "B" });
  socket().say({ type: "result", request: one.request, text: "A" });
  expect(await one).toMatchObject({ text: "A" });
  expect(await two).toMatchObject({ text: "B" });
  expect(heard).toEqual([]);
});

test("a refusal is an error with its facts", async () => {
  const asked = wire.ask({ type: "command", line: "x y" });
  socket().say({ type: "error", request: asked.request, kind: "CommandSyntaxError", message: "No.", line: "x y", column: 2 });
  await expect(asked).rejects.toBeInstanceOf(Refusal);
  await expect(asked).rejects.toMatchObject({ message: "No.", failure: { column: 2 } });
});

test("binary answers and progress go where they belong", async () => {
  const asked = wire.ask<ArrayBuffer>({ type: "motion", start: 0, end: 1 });
  socket().say({ type: "progress", job: "job1", request: asked.request, title: "x", fraction: 0.5, label: "x", done: false });
  expect(heard).toHaveLength(1);
  const frame = new ArrayBuffer(32);
  new DataView(frame).setUint32(4, asked.request, true);
  socket().onmessage({ data: frame });
  expect(await asked).toBe(frame);
});

test("a lost connection rejects what waits and comes back by itself", async () => {
  const asked = wire.ask({ type: "command", line: "a" });
  const rejected = expect(asked).rejects.toThrow("lost");
  socket().readyState = 3;
  socket().onclose({ code: 1012 });
  await rejected;
  await expect(wire.ask({ type: "command", line: "b" })).rejects.toThrow("no connection");
  vi.advanceTimersByTime(400);
  expect(FakeSocket.made).toHaveLength(2);
  socket().onopen();
  expect(states).toEqual(["connecting", "open", "lost", "connecting", "open"]);
});

test("the wire of a cell that is not open is not opened again", () => {
  socket().onclose({ code: 4404 });
  vi.advanceTimersByTime(60_000);
  expect(FakeSocket.made).toHaveLength(1);
  expect(states.at(-1)).toBe("gone");
});

test("frames behind a packed one wait for it, and order stays", async () => {
  const text = JSON.stringify({ type: "status", uptime: 1 });
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate"));
  const data = new Uint8Array(await new Response(stream).arrayBuffer());
  const packed = new ArrayBuffer(12 + data.length);
  new Uint32Array(packed, 0, 3).set([4, 0, 1]);
  new Uint8Array(packed, 12).set(data);
  socket().onmessage({ data: packed });
  socket().say({ type: "status", uptime: 2 });
  expect(heard).toEqual([]);
  await vi.waitFor(() => expect(heard).toHaveLength(2));
  expect(heard.map((message) => (message as { uptime: number }).uptime)).toEqual([1, 2]);
  socket().say({ type: "status", uptime: 3 });
  await vi.waitFor(() => expect(heard).toHaveLength(3));
});
