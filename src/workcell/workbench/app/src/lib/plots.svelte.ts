// The plots: values of a robot over the recording, beside those of another run if one is chosen.
import type { Compared, Commands, Series } from "./commands";
import type { Connection } from "./connection.svelte";
import { Latest } from "./latest.svelte";
import type { Log } from "./log.svelte";
import type { RobotInfo } from "./protocol";
import type { Recording } from "./recording.svelte";
import { RobotChoice } from "./robots.svelte";
import type { Scene } from "./scene.svelte";
import type { Selection } from "./selection.svelte";
import { quoted } from "./text";

export type Quantity = Commands["series"]["parameters"]["quantity"];

/** What can be drawn, and at how many times: a clearance takes a whole state of the cell for each. */
export const QUANTITIES: readonly { id: Quantity; title: string; count: number }[] = [
  { id: "position", title: "Joint values", count: 800 },
  { id: "speed", title: "Joint speeds", count: 800 },
  { id: "acceleration", title: "Joint accelerations", count: 800 },
  { id: "tool-speed", title: "Tool speed", count: 400 },
  { id: "clearance", title: "Clearance", count: 150 },
];

export class Plots {
  quantity = $state<Quantity>("position");
  /** The file of the run that is compared; "" for none. */
  file = $state("");
  /** The saved runs in the folder of the cell. */
  saved = $state.raw<readonly string[]>([]);
  readonly answer = new Latest<[Series, Series | undefined]>();
  readonly difference = new Latest<Compared>();
  readonly robots: RobotChoice;

  constructor(
    private connection: Connection,
    scene: Scene,
    selection: Selection,
    private recording: Recording,
    private log: Log,
  ) {
    const moving = (robot: RobotInfo) => this.recording.info?.robots.includes(robot.id);
    this.robots = new RobotChoice(scene, selection, (all) => all.find(moving) ?? all[0]);
  }

  /** Ask for the values of what is chosen; call it again when the recording changed. */
  refresh(): void {
    const { quantity, file } = this;
    const { robot } = this.robots;
    this.difference.clear();
    if (!robot || !((this.recording.info?.duration ?? 0) > 0)) {
      this.answer.clear();
      return;
    }
    const count = QUANTITIES.find((one) => one.id === quantity)!.count;
    const asked = { robot: quoted(robot.name), quantity, count };
    this.answer.ask(async () => {
      const series = await this.connection.call("series", asked);
      return [series, file ? await this.connection.call("series", { ...asked, file }) : undefined];
    });
  }

  /** Find the saved runs. */
  async list(): Promise<void> {
    const found = await this.connection.complete("load-recording ");
    const names = found.map(({ text }) => text.trim().replace(/^"(.*)"$/, "$1"));
    this.saved = names.filter((name) => name.endsWith(".rec"));
  }

  /** Save this run, so that the next one is drawn beside it. */
  async keep(name: string): Promise<void> {
    if (!(await this.log.press(`save-recording ${quoted(name)}`))) return;
    await this.list();
    this.file = name;
  }

  /** Ask where this run first differs from the one beside it. */
  compare(): void {
    const { file } = this;
    if (file) this.difference.ask(() => this.connection.call("compare-recordings", { first: file }));
  }
}
