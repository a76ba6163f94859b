import { expect, test } from "vitest";
import { overrideRefusal } from "./override";
import { Programs } from "./programs.svelte";
import type { Failure, RunInfo } from "./protocol";
import { Time } from "./time.svelte";

/** Programs on a log that keeps what was pressed and refuses what it is told to. */
function pressed(refused: Record<string, Failure | undefined> = {}, language = "commands", ran: unknown[] = []) {
  const [lines, said]: string[][] = [[], []];
  const spoken = [{ line: 3, text: "", refused: true, reason: "There is no command 'drve'." }, { line: 4, text: "1" }, { line: 5, text: "", refused: true, reason: "Joint 1 …" }];
  const log = {
    failure: undefined as Failure | undefined,
    press: (line: string) => {
      lines!.push(line);
      log.failure = refused[line.split(" ")[0]!];
      return Promise.resolve(log.failure === undefined);
    },
    call: (line: string) => log.press(line),
    blame: (line: string, sentence: string) => said!.push(`${line}: ${sentence}`),
    value: async (line: string) => ((await log.press(line)) ? { ways: [], program: "my prog", line: 2, step: "pick brick", time: 4, outputs: spoken } : undefined),
  };
  const text = language === "commands" ? "wait 1" : `verbatim ${language}\nend`;
  const connection = { call: () => Promise.resolve({ text, language, mark: "1", problems: [], rows: [], kinds: [], names: {}, lines: ran }) };
  const time = new Time();
  const programs = new Programs(connection as never, log as never, time, { start: 2 } as never);
  const hear = (state: string, again = false, mark = "1") =>
    programs.hear({ state, again, threads: [], breakpoints: [], signals: [], programs: [{ id: "1", name: "my prog", mark, language }, { id: "2", name: "first", mark: "2", language, parameters: [{ name: "n", type: "number", required: true }] }] } as unknown as RunInfo);
  hear("none");
  return { programs, lines: lines!, said, hear, time };
}

const refusal = (program: string) => ({ message: "Line 2 of program 'my prog': no.", evidence: { program, line_number: 2 } }) as unknown as Failure;

test("the override holds for the next run, and for one that is paused or under way", async () => {
  const { programs, lines, hear } = pressed();
  await programs.show("my prog");
  await programs.runs.steer(50);
  expect(lines).toEqual([]);
  await programs.runs.run();
  expect(lines.splice(0)).toEqual(['debug "my prog"', "override 50", "resume"]);
  hear("paused");
  await programs.runs.steer(20);
  expect(lines.splice(0)).toEqual(["override 20"]);
  hear("goes");
  await programs.runs.steer(100);
  expect(lines.splice(0)).toEqual(["pause", "override 100", "resume"]);
  hear("none");
  await programs.runs.run();
  expect(lines).toEqual(['run "my prog"']);
});

test("an override beyond its bounds is refused with what would be right", () => {
  expect([1, 50, 100].map(overrideRefusal)).toEqual(["", "", ""]);
  expect(overrideRefusal(0)).toBe("The override is at least 1 %, and 0 % was typed. Type a number from 1 to 100.");
  expect(overrideRefusal(120)).toBe("The override is at most 100 %, and 120 % was typed. Type a number from 1 to 100.");
});

test("programs that start together are run and debugged by one command, with the values of the first", async () => {
  const { programs, lines } = pressed();
  await programs.show("my prog");
  programs.runs.company.choose("my prog", "first", true);
  programs.runs.values.set("first", "n", "3");
  await programs.runs.run();
  await programs.runs.debug();
  await programs.runs.debug(4);
  expect(lines).toEqual(['run-together first "my prog" with 3', 'debug first "my prog" with 3', 'debug "my prog" first from 4']);
});

test("a value that is refused is marked at its field, which is shown if it is not seen", async () => {
  const failure = { message: "Expected a length.", evidence: { program: "first", parameter: "n" } } as unknown as Failure;
  const { programs } = pressed({ run: failure });
  await programs.show("first");
  const done: string[] = [];
  programs.onmarked = () => done.push("marked");
  programs.runs.onneeds = (program) => done.push(`show ${program}`);
  await programs.runs.run();
  programs.seen = true;
  await programs.runs.run();
  expect([done, programs.runs.values.refusal("first", "n")]).toEqual([["show first", "marked"], "Expected a length."]);
  await programs.show("my prog");
  await programs.runs.run("first"); // by its button in the tree
  expect(done.slice(2)).toEqual(["show first"]);
});

test("the line that a run or a plan refuses is marked until the next one", async () => {
  for (const command of ["run", "plan-step"]) {
    const refused: Record<string, Failure | undefined> = { [command]: refusal("my prog") };
    const { programs } = pressed(refused);
    await programs.show("my prog");
    const again = () => (command === "run" ? programs.runs.run() : programs.runs.plan(2));
    await again();
    expect(programs.problems).toEqual([{ line: 2, column: 0, message: "Line 2 of program 'my prog': no.", severity: "error" }]);
    refused[command] = undefined;
    await again();
    expect(programs.problems).toEqual([]);
    refused[command] = refusal("other");
    await again();
    expect(programs.problems).toEqual([]);
  }
});

test("a refusal that the panel marks at its line is no message besides", async () => {
  const refused: Record<string, Failure | undefined> = { run: refusal("my prog") };
  const { programs } = pressed(refused);
  await programs.show("my prog");
  let marked = 0;
  programs.onmarked = () => (marked += 1);
  await programs.runs.run(); // the panel is not seen
  programs.seen = true;
  await programs.runs.run();
  expect(marked).toBe(1);
  refused["run"] = refusal("other");
  await programs.runs.run();
  refused["run"] = { message: "The cell is busy.", evidence: {} } as unknown as Failure;
  await programs.runs.run();
  expect(marked).toBe(1);
});

test("Agent lines become steps of another program before they are stepped through", async () => {
  const { programs, lines } = pressed({}, "agent");
  await programs.show("my prog");
  await programs.runs.debug();
  expect(lines).toEqual(['agent-steps "my prog" as "my prog-steps"', 'debug "my prog-steps"']);
});

test("the Agent lines that a run refuses are marked as the editor counts them, and the first is a message", async () => {
  const { programs, said } = pressed({}, "agent");
  await programs.show("my prog");
  await programs.runs.run();
  expect(programs.problems.map(({ line, message }) => [line, message])).toEqual([[2, "There is no command 'drve'."], [4, "Joint 1 …"]]);
  expect(said).toEqual(['run-agent "my prog": Line 2: There is no command \'drve\'. 1 more line was refused.']);
  programs.checkup.take([{ program: "agent", line: 2, column: 0, message: "did you mean drive?", warning: false }]);
  expect(programs.problems.map(({ line, message }) => [line, message])).toEqual([[2, "did you mean drive?"], [4, "Joint 1 …"]]);
});

test("a window that shows the cell again opens the program that was open", async () => {
  const { programs } = pressed();
  expect(programs.likely).toBe("my prog");
  await programs.show("first");
  const again = pressed().programs;
  again.runs.resume(programs.runs.kept);
  expect(again.likely).toBe("first");
  again.runs.resume({ open: "gone" });
  expect(again.likely).toBe("my prog");
});

test("a program has a proposed name, and is copied, renamed and removed by commands", async () => {
  const { programs, lines } = pressed();
  await programs.show("my prog");
  expect(programs.proposed).toBe("program1");
  programs.naming = "copy";
  expect(programs.proposed).toBe("my prog-1");
  programs.naming = "rename";
  expect(programs.proposed).toBe("my prog");
  await programs.rename("b");
  await programs.copy("c");
  await programs.remove();
  expect(lines).toEqual(['modify program:"my prog" name b', 'copy program:"my prog" as c', "remove program:c"]);
});

test("a run that is played is paused at the time that is shown, so that it can be stepped from there", async () => {
  for (const state of ["none", "paused"]) {
    const { programs, lines, hear, time } = pressed();
    const said: string[] = [];
    programs.runs.onreturned = (title) => said.push(title);
    hear(state, true);
    time.resize(10);
    time.play();
    time.advance(3.25, true);
    const paused = programs.runs.pause();
    expect([time.mode, time.time, time.playing]).toEqual(["playback", 3.25, false]); // until the answer is here
    expect(time.changed(true)).toBe(false); // the change is shown, not missed
    await paused;
    expect(lines).toEqual(["pause-at 5.250s"]);
    expect(time.live).toBe(true);
    expect(said).toEqual(["Paused before line 2 of my prog, at 0:04.00"]);
  }
});

test("if the run cannot be paused, its playback is held and one message gives the reason", async () => {
  for (const again of [true, false]) {
    const { programs, lines, hear, time } = pressed({ "pause-at": refusal("my prog") }, "commands", [{ program: "my prog", line: 1, start: 0, end: 9 }]);
    hear("none", again);
    const said: string[] = [];
    programs.onmarked = () => said.push("no other");
    programs.onrefused = (title, sentence) => said.push(`${title}: ${sentence}`);
    time.resize(10);
    time.play();
    time.advance(3, true);
    await programs.runs.pause();
    expect(lines).toEqual(["pause-at 5.000s"]);
    expect([time.mode, time.time, time.changed(true)]).toEqual(["playback", 3, true]);
    expect(said).toEqual(["no other", "Only the playback is paused: Line 2 of program 'my prog': no."]);
  }
});

test("a run is paused in the same way while the panel Programs is closed and does not ask which lines ran", async () => {
  const { programs, lines, hear, time } = pressed({}, "commands", [{ program: "my prog", line: 1, start: 0, end: 9 }]);
  hear("none");
  time.resize(10);
  time.play();
  time.advance(3, true);
  await programs.runs.pause();
  expect(lines).toEqual(["pause-at 5.000s"]);
});

test("only motion of a run is paused as a run; other motion, and a loaded recording, is held", async () => {
  const { programs, lines, hear, time } = pressed();
  for (const [again, loaded] of [[false, false], [true, true]] as const) {
    hear("none", again);
    if (loaded) time.load(10);
    else time.resize(10);
    time.play();
    time.advance(3, true);
    await programs.runs.pause();
    expect([time.mode, time.time, time.playing]).toEqual(["playback", 3, false]);
    time.seek(0);
  }
  expect(lines).toEqual([]);
  hear("goes", true);
  await programs.runs.pause();
  expect(lines).toEqual(["pause"]);
});

test("a program that was chosen just before is the one that runs", async () => {
  const { programs, lines } = pressed();
  await programs.show("first");
  void programs.show("my prog");
  await programs.runs.run();
  void programs.show("first");
  await programs.runs.debug();
  expect(lines).toEqual(['run "my prog"', "debug first"]);
});

test("a refused line of another program stays marked until its lines are edited", async () => {
  const { programs, hear } = pressed({ run: refusal("my prog") });
  await programs.show("first");
  await programs.runs.run();
  hear("none");
  expect(programs.runs.failedIn("my prog").length).toBe(1);
  hear("none", false, "7");
  expect(programs.runs.failedIn("my prog")).toEqual([]);
});

test("a refused line of another program stays marked until something is run again", async () => {
  const refused: Record<string, Failure | undefined> = { run: refusal("my prog") };
  const { programs, hear } = pressed(refused);
  await programs.show("first");
  const again = async (): Promise<number> => {
    await programs.runs.run();
    await programs.show("my prog");
    return programs.problems.length;
  };
  expect(await again()).toBe(1);
  await programs.show("first");
  hear("none");
  expect(await again()).toBe(1);
  refused["run"] = undefined;
  await programs.show("first");
  expect(await again()).toBe(0);
});
