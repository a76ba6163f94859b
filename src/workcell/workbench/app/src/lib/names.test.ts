// A parameter of a call is read as in a command line: every name that the page sends is one word, or in quotes.
import { Matrix4 } from "three";
import { expect, test } from "vitest";
import type { Connection } from "./connection.svelte";
import { Ghost } from "./ghost.svelte";
import { Log } from "./log.svelte";
import { Inverse } from "./inverse.svelte";
import { Pendant } from "./pendant.svelte";
import { Programs } from "./programs.svelte";
import type { RobotInfo, RunInfo } from "./protocol";
import { ReachShown } from "./reach.svelte";
import type { Recording } from "./recording.svelte";
import { Scene } from "./scene.svelte";
import type { Selection } from "./selection.svelte";
import { Time } from "./time.svelte";

/** A connection that keeps what it is asked, and answers with a program of one line. */
class Asked {
  readonly calls: [string, Record<string, unknown>][] = [];

  carryOut(command: string, parameters: Record<string, unknown>) {
    this.calls.push([command, parameters]);
    return Promise.resolve({ text: "", value: { text: "wait 1", language: "commands", rows: [], problems: [], solutions: [], bodies: [], poses: [], line: 1, tool: [] } });
  }

  async call(command: string, parameters: Record<string, unknown>) {
    return (await this.carryOut(command, parameters)).value;
  }

  names(key: string): unknown[] {
    return this.calls.flatMap(([, parameters]) => (key in parameters ? [parameters[key]] : []));
  }
}

test("calls about a program with a blank in its name", async () => {
  const asked = new Asked();
  const connection = asked as unknown as Connection;
  const time = { stop: () => {}, replay: () => {} } as unknown as Time;
  const programs = new Programs(connection, new Log(connection), time, {} as Recording);
  programs.info = { programs: [{ id: "1", name: "my prog", mark: "1", language: "commands" }], state: "none", threads: [], breakpoints: [] } as unknown as RunInfo;
  await programs.create("my prog");
  programs.type("wait 2");
  await programs.checkup.proofread();
  await programs.keep();
  await programs.edits.insert(1, "wait 3");
  await programs.checkup.check();
  await programs.runs.plan(1);
  await programs.runs.run();
  const commands = new Set(asked.calls.map(([command]) => command));
  for (const one of ["write program", "outline", "step-kinds", "check draft", "edit program", "insert-step", "check program", "plan-step", "run"]) expect(commands).toContain(one);
  const names = [...asked.names("program"), ...asked.names("name")];
  expect(names.length).toBeGreaterThanOrEqual(9);
  expect(new Set(names)).toEqual(new Set(['"my prog"']));
});

test("calls about a robot with a blank in its name", async () => {
  const asked = new Asked();
  const connection = asked as unknown as Connection;
  const scene = new Scene(() => {});
  const robot = { id: "r1", name: "my bot", joints: [{ name: "waist" }], values: [0] } as unknown as RobotInfo;
  scene.picture.robots.set("r1", robot);
  const ghost = new Ghost(connection, scene);
  const pendant = new Pendant(connection, scene, {} as Selection, {} as Recording, new Log(connection), ghost, new Time());
  pendant.preview([0.1]);
  await pendant.locate([0.1]);
  pendant.tool = new Matrix4();
  await new Inverse(connection, scene, pendant).ask();
  await pendant.nearest(new Matrix4());
  new ReachShown(connection, scene).toggle("r1");
  await Promise.resolve();
  expect(asked.calls.map(([command]) => command).sort()).toEqual(["fk", "fk", "ik", "ik", "joint-frames", "reach"]);
  expect(new Set(asked.names("robot"))).toEqual(new Set(['"my bot"']));
});
