import { beforeEach, expect, test } from "vitest";
import { OVERTAKEN } from "./orphans";
import { Programs } from "./programs.svelte";
import type { RunInfo } from "./protocol";
import { restore } from "./restoring";

/** A server with programs; `others` changes them as another window does. */
class Server {
  texts = new Map([["py", "wait 1"], ["other", "wait 9"]]);
  lines: string[] = [];
  programs: Programs;
  refused: string[] = [];
  /** The line that ran at the playhead, as the server finds it in the present programs. */
  ran = 1;

  constructor() {
    const connection = {
      call: (command: string, { program }: { program: string }) =>
        Promise.resolve(
          command === "line-times"
            ? { lines: [{ start: 0, end: 1, program: "py", line: this.ran }] }
            : command === "outline" && this.texts.has(program)
            ? { text: this.texts.get(program), language: "commands", problems: [], rows: [] }
            : { kinds: [], names: {}, problems: [] },
        ),
    };
    const log = {
      press: (line: string) => Promise.resolve(this.lines.push(line) > 0),
      call: (line: string, command: string, given: { program?: string; name?: string; text: string }) => {
        this.lines.push(line);
        this.texts.set((given.program ?? given.name)!, given.text);
        if (command === "write program") this.tell();
        return Promise.resolve(true);
      },
    };
    this.programs = new Programs(connection as never, log as never, { mode: "playback", time: 0.5 } as never, { start: 0, info: { number: 1 } } as never);
    this.programs.onrefused = (_, sentence) => this.refused.push(sentence);
    this.tell();
  }

  tell(): void {
    const programs = [...this.texts].map(([name, text]) => ({ id: name, name, mark: `${name}: ${text}`, language: "commands" }));
    this.programs.hear({ type: "run", state: "none", threads: [], breakpoints: [], programs } as unknown as RunInfo);
  }

  others(change: (texts: Map<string, string>) => void): void {
    change(this.texts);
    this.tell();
  }
}

let server: Server;
let programs: Programs;

beforeEach(async () => {
  server = new Server();
  programs = server.programs;
  await programs.show("py");
  programs.type("wait 2");
});

test("a draft is kept when another program is chosen", async () => {
  await programs.show("other");
  expect([programs.open, server.texts.get("py"), programs.unkept]).toEqual(["other", "wait 2", false]);
});

test("a draft never replaces the lines of another window without asking", async () => {
  server.others((texts) => texts.set("py", "wait 3"));
  await programs.show("other"); // at once, while the other lines are still on their way
  await programs.runs.run();
  await programs.edits.insert(1, "wait 5");
  expect(await programs.create("new")).toBe(false);
  expect([programs.open, programs.draft, server.texts.get("py"), server.lines]).toEqual(["py", "wait 2", "wait 3", []]);
  expect(server.refused).toEqual([OVERTAKEN, OVERTAKEN, OVERTAKEN, OVERTAKEN]);
  expect(await programs.keep(true)).toBe(true);
  expect([server.texts.get("py"), programs.overtaken]).toEqual(["wait 2", false]);
});

test("a draft of a removed program stays, and makes it again", async () => {
  server.others((texts) => texts.delete("py"));
  expect([programs.open, programs.orphans, programs.unkept]).toEqual(["", [{ name: "py", language: "commands", text: "wait 2" }], true]);
  expect(server.refused).toHaveLength(1);
  await restore(programs, programs.orphans[0]!);
  expect([programs.open, server.texts.get("py"), programs.unkept]).toEqual(["py", "wait 2", false]);
});

test("a program that others removed is named; one that this window removed is not", async () => {
  programs.drop();
  server.others((texts) => texts.delete("py"));
  expect([programs.open, programs.gone, programs.orphans]).toEqual(["", "py", []]);
  programs.gone = "";
  await programs.show("other");
  await programs.remove();
  server.others((texts) => texts.delete("other"));
  expect([programs.open, programs.gone]).toEqual(["", ""]);
});

test("a draft of a removed program is a draft again if the removal was undone", async () => {
  server.others((texts) => texts.delete("py"));
  server.others((texts) => texts.set("py", "wait 1"));
  await restore(programs, programs.orphans[0]!);
  expect([programs.open, programs.text, server.texts.get("py"), programs.orphans]).toEqual(["py", "wait 2", "wait 1", []]);
});

test("the editor shows what was typed while it is being kept", async () => {
  const kept = programs.keep();
  let done = false;
  void kept.then(() => (done = true));
  while (!done) {
    expect(programs.text).toBe("wait 2");
    await Promise.resolve();
  }
  expect([programs.text, programs.draft]).toEqual(["wait 2", undefined]);
});

test("what was typed never becomes a draft of another program", async () => {
  await programs.show("other");
  await programs.checkup.proofread(); // as the editor asks for it a moment after the last key
  expect([programs.open, programs.text, programs.unkept]).toEqual(["other", "wait 9", false]);
});

test("the lines of another program are shown together with its name, and what is typed until then stays with its own", async () => {
  const shown = programs.show("other");
  while (programs.draft !== undefined) await Promise.resolve();
  programs.type("wait 22");
  expect([programs.open, programs.text]).toEqual(["py", "wait 22"]);
  await shown;
  expect([programs.open, programs.text, server.texts.get("py")]).toEqual(["other", "wait 9", "wait 22"]);
});

test("the line at the playhead stays lit when lines are typed or kept above it", async () => {
  await programs.follow();
  programs.type("wait 7\nwait 1");
  expect([...programs.lit.keys()]).toEqual([2]);
  programs.type("wait 7\nwait 8");
  expect(programs.lit.size).toBe(0);
  server.ran = 2;
  await programs.keep();
  server.tell();
  await programs.follow();
  expect([...programs.lit.keys()]).toEqual([2]);
});
