import { expect, test } from "vitest";
import type { Series } from "./commands";
import type { Connection } from "./connection.svelte";
import type { Log } from "./log.svelte";
import { Plots } from "./plots.svelte";
import type { RobotInfo } from "./protocol";
import type { Recording } from "./recording.svelte";
import { Scene } from "./scene.svelte";
import type { Selection } from "./selection.svelte";

type Parameters = Record<string, unknown>;

/** Plots of a run from 10 s to 20 s, beside a file with one from 100 s to 104 s, and what they asked. */
function plotting() {
  const asked: Parameters[] = [];
  const call = (_: string, parameters: Parameters) => {
    asked.push(parameters);
    const [start, end] = parameters["file"] ? [100, 104] : [10, 20];
    return Promise.resolve({ robot: "my bot", quantity: "position", times: [start], lines: [], text: "", pairs: [], start, end, sampled: false } as unknown as Series);
  };
  const scene = new Scene(() => {});
  scene.picture.robots.set("r1", { id: "r1", name: "my bot", joints: [], values: [] } as unknown as RobotInfo);
  const recording = { info: { duration: 10, robots: ["r1"] }, start: 10, track: {} } as unknown as Recording;
  const plots = new Plots({ call } as unknown as Connection, scene, { id: "" } as unknown as Selection, recording, {} as Log);
  const settled = async () => {
    while (plots.answer.busy || plots.moment.busy) await new Promise((done) => setTimeout(done));
    return asked.splice(0);
  };
  return { plots, recording, settled };
}

const WHOLE = { robot: '"my bot"', quantity: "position", count: 400, peaks: true };

test("a zoom asks again for what is visible", async () => {
  const { plots, settled } = plotting();
  plots.refresh();
  expect(await settled()).toEqual([WHOLE]);
  plots.span = [12, 13];
  plots.refresh();
  expect(await settled()).toEqual([{ ...WHOLE, begin: 12, end: 13 }]);
  plots.span = [12, 21]; // of a longer recording
  plots.refresh();
  expect([await settled(), plots.span]).toEqual([[WHOLE], undefined]);
});

test("a zoom ends with its recording, and stays while that grows", async () => {
  const { plots, recording, settled } = plotting();
  plots.refresh();
  plots.span = [12, 13];
  recording.info = { ...recording.info!, duration: 11 };
  plots.refresh();
  expect(plots.span).toEqual([12, 13]);
  await settled();
  recording.track = {} as Recording["track"];
  plots.refresh();
  expect([await settled(), plots.span]).toEqual([[WHOLE], undefined]);
});

test("the values at the playhead are asked for, not read from the curve", async () => {
  const { plots, settled } = plotting();
  plots.look(15.123);
  expect(await settled()).toEqual([{ robot: '"my bot"', quantity: "position", time: 15.123 }]);
  plots.look(99);
  expect((await settled())[0]!["time"]).toBe(20);
});

test("the other run is asked for the same span since its beginning, as far as it goes", async () => {
  const { plots, settled } = plotting();
  plots.refresh();
  await settled();
  plots.file = "one.rec";
  plots.look(12);
  const [mine, bounds, other] = await settled();
  expect([mine!["time"], bounds!["count"], other!["time"], other!["file"]]).toEqual([12, 2, 102, "one.rec"]);
  plots.span = [13, 18];
  plots.refresh();
  expect((await settled()).map(({ begin, end, file }) => [begin, end, file])).toEqual([[13, 18, undefined], [103, 104, "one.rec"]]);
  plots.look(19);
  expect(await settled()).toHaveLength(1); // it has ended then
});
