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
import type { Track } from "./track";

export type Quantity = Commands["series"]["parameters"]["quantity"];

/** What can be drawn, and in how many columns; a clearance in how many samples, because each takes a whole state of the cell. */
export const QUANTITIES: readonly { id: Quantity; title: string; count: number }[] = [
  { id: "position", title: "Joint values", count: 400 },
  { id: "speed", title: "Joint speeds", count: 400 },
  { id: "acceleration", title: "Joint accelerations", count: 400 },
  { id: "tool-speed", title: "Tool speed", count: 800 },
  { id: "clearance", title: "Clearance", count: 150 },
];

/** The first and the last time that the plot shows [s]. */
export type Span = readonly [number, number];

type Asked = Commands["series"]["parameters"];

export class Plots {
  quantity = $state<Quantity>("position");
  /** The file of the run that is compared; "" for none. */
  file = $state("");
  /** The saved runs in the folder of the cell. */
  saved = $state.raw<readonly string[]>([]);
  /** What is shown of the recording; undefined for all of it. */
  span = $state.raw<Span>();
  readonly answer = new Latest<[Series, Series | undefined]>();
  /** The exact values at the moment that was last asked for, in both runs. */
  readonly moment = new Latest<[Series, Series | undefined]>(true);
  readonly difference = new Latest<Compared>();
  readonly robots: RobotChoice;
  /** When the other run begins and ends [s]. */
  private beside: { file: string; start: number; end: number } | undefined;

  /** The track of the recording that was last drawn; another recording has another one. */
  private declare drawn: Track;

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

  /** Ask for the curves of what is chosen; call it again when that, the span or the recording changed. */
  refresh(): void {
    const { asked, start, end } = this;
    this.difference.clear();
    if (this.span && (this.drawn !== this.recording.track || this.span[0] < start || this.span[1] > end)) this.span = undefined; // of another recording
    this.drawn = this.recording.track;
    if (!asked) {
      this.answer.clear();
      this.moment.clear();
      return;
    }
    const { span } = this;
    const count = QUANTITIES.find((one) => one.id === asked.quantity)!.count;
    this.answer.ask(() => this.both(span, (part) => ({ ...asked, count, peaks: true, ...(part ? { begin: part[0], end: part[1] } : {}) })));
  }

  /** Ask for the exact values at a time [s]. */
  look(time: number): void {
    const { asked, start, end } = this;
    const at = Math.min(Math.max(time, start), end);
    if (asked) this.moment.ask(() => this.both([at, at], (part) => ({ ...asked, time: part![0] })));
  }

  private get asked(): Asked | undefined {
    const { robot } = this.robots;
    return robot && this.end > this.start ? { robot: quoted(robot.name), quantity: this.quantity } : undefined;
  }

  private get start(): number {
    return this.recording.start;
  }

  private get end(): number {
    return this.start + (this.recording.info?.duration ?? 0);
  }

  /** Ask about a span of this run and, if one is chosen, about the same span of the other; the two begin together. */
  private async both(span: Span | undefined, ask: (span?: Span) => Asked): Promise<[Series, Series | undefined]> {
    const { file } = this;
    const series = await this.connection.call("series", ask(span));
    if (!file) return [series, undefined];
    if (!span) return [series, await this.other(file, ask())];
    const { start, end } = this.beside?.file === file ? this.beside : await this.other(file, { robot: quoted(series.robot), quantity: "position", count: 2 });
    const shift = start - series.start;
    const part = [Math.max(start, span[0] + shift), Math.min(end, span[1] + shift)] as const;
    const there = part[0] < part[1] || (part[0] === part[1] && span[0] === span[1]);
    return [series, there ? await this.other(file, ask(part)) : undefined];
  }

  private async other(file: string, asked: Asked): Promise<Series> {
    const series = await this.connection.call("series", { ...asked, file });
    this.beside = { file, start: series.start, end: series.end };
    return series;
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
    this.beside = undefined;
    await this.list();
    this.file = name;
  }

  /** Ask where this run first differs from the one beside it. */
  compare(): void {
    const { file } = this;
    if (file) this.difference.ask(() => this.connection.call("compare-recordings", { first: file }));
  }
}
