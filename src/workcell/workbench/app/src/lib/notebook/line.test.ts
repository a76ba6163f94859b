import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Ears } from "../host";
import { ENDED, Line, type Model } from "./line";

interface Sent {
  page: string;
  message: { kind: string; stream: number; path?: string; size?: number; last?: boolean; text?: string };
}

class FakeModel implements Model {
  sent: Sent[] = [];
  buffers: Uint8Array[] = [];
  private listeners = new Set<(content: unknown, buffers: readonly DataView[]) => void>();

  dead = false;

  send(content: unknown, _callbacks: undefined, buffers: ArrayBufferView[]): void {
    if (this.dead) throw new Error("Cannot send");
    this.sent.push(content as Sent);
    this.buffers.push(...(buffers as Uint8Array[]));
  }

  on(event: string, heard: (content: unknown, buffers: readonly DataView[]) => void): void {
    if (event === "msg:custom") this.listeners.add(heard);
  }

  off(_event: string, heard: (content: unknown, buffers: readonly DataView[]) => void): void {
    this.listeners.delete(heard);
  }

  /** Say something to the page that wrote last; `heard` is everything unless it is given. */
  say(messages: object[], buffers: Uint8Array[] = [], heard: number | null = this.sent.length): void {
    const page = this.sent.at(-1)!.page;
    const views = buffers.map((data) => new DataView(data.buffer, data.byteOffset, data.byteLength));
    for (const listener of [...this.listeners]) listener({ page, heard, messages }, views);
  }

  get kinds(): string[] {
    return this.sent.map(({ message }) => message.kind);
  }

  get listening(): number {
    return this.listeners.size;
  }
}

const bytes = (text: string) => new TextEncoder().encode(text);
let model: FakeModel;
let line: Line;
let ears: { [Name in keyof Ears]: ReturnType<typeof vi.fn<Ears[Name]>> };

beforeEach(() => {
  model = new FakeModel();
  line = new Line(model);
  ears = { opened: vi.fn(), heard: vi.fn(), closed: vi.fn(), slow: vi.fn() };
});

afterEach(() => vi.useRealTimers());

test("a socket hears text and data in order, and sends text", () => {
  const socket = line.connect("ws", ears);
  expect([socket.open, model.sent[0]!.message]).toEqual([false, { kind: "wire", stream: 1, path: "ws" }]);
  const whole = bytes("..data..");
  model.say(
    [
      { stream: 1, kind: "opened" },
      { stream: 1, kind: "text", text: "one" },
      { stream: 1, kind: "data", buffer: true },
      { stream: 1, kind: "text", text: "two" },
    ],
    [whole.subarray(2, 6)],
  );
  expect([socket.open, ears.opened.mock.calls.length]).toEqual([true, 1]);
  const heard = ears.heard.mock.calls.map(([data]) => (typeof data === "string" ? data : new TextDecoder().decode(data)));
  expect(heard).toEqual(["one", "data", "two"]);
  socket.send("three");
  expect(model.sent.at(-1)!.message).toEqual({ kind: "text", stream: 1, text: "three" });
  model.say([{ stream: 1, kind: "closed", code: 1012, reason: "The end." }]);
  expect([socket.open, ears.closed.mock.calls]).toEqual([false, [[1012, "The end."]]]);
});

test("what is for another page is not heard", () => {
  const other = new Line(model);
  line.connect("ws", ears);
  other.connect("ws", { opened: vi.fn(), heard: vi.fn(), closed: vi.fn(), slow: vi.fn() });
  model.say([{ stream: 1, kind: "opened" }]);
  expect(ears.opened).not.toHaveBeenCalled();
});

test("an answer comes in pieces and is unpacked", async () => {
  const zipped = new Uint8Array(
    await new Response(new Blob(["a shape"]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer(),
  );
  const asked = line.fetch("glb/abc");
  expect(model.sent[0]!.message).toEqual({ kind: "ask", stream: 1, path: "glb/abc" });
  model.say([{ stream: 1, kind: "answer", status: 200, headers: { "content-encoding": "gzip" } }]);
  model.say([{ stream: 1, kind: "piece", last: false, buffer: true }], [zipped.subarray(0, 5)]);
  model.say([{ stream: 1, kind: "piece", last: true, buffer: true }], [zipped.subarray(5)]);
  const answer = await asked;
  expect([answer.ok, await answer.text()]).toEqual([true, "a shape"]);
});

test("a refusal has its status and its sentence", async () => {
  const asked = line.fetch("files/x");
  model.say([{ stream: 1, kind: "answer", status: 404, headers: {} }, { stream: 1, kind: "piece", last: true, buffer: true }], [bytes("No.")]);
  const answer = await asked;
  expect([answer.ok, answer.status, await answer.text()]).toEqual([false, 404, "No."]);
});

test("a file is sent in pieces, few of them ahead of the kernel", async () => {
  const size = 6.5 * 2 ** 20;
  const asked = line.fetch("uploads/a.stl", { method: "PUT", body: new Blob([new Uint8Array(size)]) });
  await vi.waitFor(() => expect(model.sent).toHaveLength(4)); // the request and three pieces
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(model.sent).toHaveLength(4);
  model.say([]);
  await vi.waitFor(() => expect(model.sent).toHaveLength(8));
  expect(model.sent[0]!.message).toMatchObject({ kind: "ask", method: "PUT", size });
  expect(model.sent.slice(1).map(({ message }) => message.last)).toEqual([false, false, false, false, false, false, true]);
  expect(model.buffers.reduce((sum, piece) => sum + piece.byteLength, 0)).toBe(size);
  model.say([{ stream: 1, kind: "answer", status: 201, headers: {} }, { stream: 1, kind: "piece", last: true, buffer: true }], [bytes("{}")]);
  expect((await asked).status).toBe(201);
});

test("an empty file is one empty piece", async () => {
  void line.fetch("uploads/a.stl", { method: "PUT", body: new Blob([]) });
  await vi.waitFor(() => expect(model.kinds).toEqual(["ask", "piece"]));
  expect(model.sent[1]!.message.last).toBe(true);
});

test("the kernel hears what was read", () => {
  line.connect("ws", ears);
  const half = "x".repeat(2 ** 17);
  model.say([{ stream: 1, kind: "text", text: half }]);
  expect(model.kinds).toEqual(["wire"]);
  model.say([{ stream: 1, kind: "data", buffer: true }], [bytes(half)]);
  expect(model.sent.at(-1)!.message).toEqual({ kind: "read", size: 2 ** 18 });
});

test("a kernel that does not take a message is waited for, and what it pushes meanwhile changes nothing", () => {
  vi.useFakeTimers();
  const socket = line.connect("ws", ears);
  model.say([{ stream: 1, kind: "opened" }]);
  socket.send("a question");
  vi.advanceTimersByTime(2000);
  expect(ears.slow).not.toHaveBeenCalled();
  model.say([{ stream: 1, kind: "text", text: "a push" }], [], 1);
  vi.advanceTimersByTime(1500);
  expect(ears.slow.mock.calls).toEqual([[true]]);
  model.say([{ stream: 1, kind: "text", text: "another" }], [], 1);
  expect(ears.slow.mock.calls).toEqual([[true]]);
  model.say([]);
  expect(ears.slow.mock.calls).toEqual([[true], [false]]);
  vi.advanceTimersByTime(60_000);
  expect(ears.slow.mock.calls).toHaveLength(2); // while nothing is asked, nothing is waited for
});

test("a probe finds out whether the kernel is there", async () => {
  vi.useFakeTimers();
  const there = line.probe();
  model.say([]);
  await expect(there).resolves.toBe(true);
  const gone = line.probe();
  await vi.advanceTimersByTimeAsync(4000);
  await expect(gone).resolves.toBe(false);
});

test("a lost kernel closes sockets with the reason and fails requests", async () => {
  line.connect("ws", ears);
  const asked = line.fetch("glb/abc");
  const refused = expect(asked).rejects.toThrow("Run the cells again.");
  line.lose("Run the cells again.");
  expect(ears.closed.mock.calls).toEqual([[ENDED, "Run the cells again."]]);
  await refused;
});

test("without a kernel a socket does not open, requests fail, and the page can go", async () => {
  model.dead = true;
  line.connect("ws", ears);
  await vi.waitFor(() => expect(ears.closed.mock.calls).toEqual([[1006, ""]]));
  await expect(line.fetch("glb/abc")).rejects.toThrow("Cannot send");
  line.close();
  expect(model.listening).toBe(0);
});

test("a page that goes takes its leave once, and sends nothing after it", () => {
  const socket = line.connect("ws", ears);
  line.close();
  line.close();
  socket.send("late");
  expect(model.kinds).toEqual(["wire", "bye"]);
  expect(model.listening).toBe(0);
});
