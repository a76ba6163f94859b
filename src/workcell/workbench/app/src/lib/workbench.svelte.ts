// What the page knows: the cell, the recording, the selection, the console, the jobs.
import { readJoints, readPoses } from "./frames";
import { Playback } from "./playback.svelte";
import type {
  Completions,
  Hello,
  Progress,
  RecordingInfo,
  Result,
  Scene,
  ServerMessage,
  Status,
  TreeNode,
} from "./protocol";
import { VERSION } from "./protocol";
import { type Chunk, Track } from "./track";
import { Refusal, Wire } from "./wire";

export interface Entry {
  id: number;
  line: string;
  state: "busy" | "done" | "error";
  text: string;
  column: number | null;
  kind: string;
}

export interface Toast {
  id: number;
  title: string;
  text: string;
}

const KEPT_ENTRIES = 300;
const TOAST_TIME = 7000; // ms

export class Workbench {
  link = $state<"connecting" | "open" | "lost">("connecting");
  hello = $state.raw<Hello>();
  scene = $state.raw<Scene>();
  recording = $state.raw<RecordingInfo>();
  status = $state.raw<Status>();
  track = $state.raw<Track>(new Track(0, 0, () => Promise.reject(new Error("There is no recording."))));
  entries = $state<Entry[]>([]);
  jobs = $state<Progress[]>([]);
  toasts = $state<Toast[]>([]);
  selected = $state<string>("");
  hidden = $state.raw<ReadonlySet<string>>(new Set());
  shapes = $state({ here: 0, wanted: 0 });
  /** How many scenes were shown, and when the first shapes were on the screen [ms since the page began]. */
  revisions = 0;
  firstFrame = 0;
  /** Counts the chunks that arrived, so that what shows them is drawn again. */
  chunks = $state(0);
  playback = new Playback();
  private wire: Wire;
  private counter = 0;
  private remarks = new Set<string>();
  private nodes = new Map<string, TreeNode>();

  constructor(
    url: string,
    private probe: string,
  ) {
    this.wire = new Wire(url, {
      message: (message) => this.receive(message),
      state: (state) => this.changeLink(state),
    });
  }

  open(): void {
    this.wire.open();
  }

  // ---- what the server says -----------------------------------------------------------------------------

  private receive(message: ServerMessage): void {
    switch (message.type) {
      case "hello":
        this.hello = message;
        if (message.version !== VERSION) this.toast("Another version", "Reload the page: the server was updated.");
        message.notes.forEach((note) => this.remark(note));
        break;
      case "scene":
        this.show(message);
        break;
      case "recording":
        this.record(message);
        break;
      case "progress":
        this.note(message);
        break;
      case "status":
        this.status = message;
        break;
      case "error":
        this.toast(message.kind, message.message);
        break;
      default:
        break; // a change is followed by the scene that shows it
    }
  }

  private changeLink(state: "connecting" | "open" | "lost"): void {
    if (state === "lost" && this.link === "open") this.toast("Disconnected", "The server went away; trying again.");
    if (state === "lost" && this.link === "connecting") void this.askWhy();
    this.link = state === "connecting" && this.link === "lost" ? "lost" : state;
    if (state === "lost") this.jobs = [];
  }

  /** A socket does not say why it was refused; a plain request does. */
  private async askWhy(): Promise<void> {
    try {
      const answer = await fetch(this.probe);
      if (answer.status === 403) this.toast("Not allowed", await answer.text());
    } catch {
      // no server at all: the top bar says that it is being tried
    }
  }

  private show(scene: Scene): void {
    this.scene = scene;
    this.revisions += 1;
    this.nodes = new Map();
    const visit = (node: TreeNode) => {
      this.nodes.set(node.id, node);
      node.children.forEach(visit);
    };
    scene.tree.forEach(visit);
    if (!this.nodes.has(this.selected)) this.selected = "";
  }

  private record(info: RecordingInfo): void {
    const before = this.recording?.duration ?? 0;
    const wasAtEnd = this.playback.atEnd && !this.playback.playing;
    const first = this.recording === undefined;
    this.recording = info;
    const track = new Track(info.duration, info.moving.length, (start, step, count) =>
      this.fetchChunk(info, start, step, count),
    );
    track.onload = () => (this.chunks += 1);
    this.track = track;
    this.playback.resize(info.duration);
    // A move made at the end is shown: the playhead runs on through what was added.
    if (!first && wasAtEnd && info.duration > before) this.playback.playing = true;
    track.want(this.playback.time);
  }

  private async fetchChunk(info: RecordingInfo, offset: number, step: number, count: number): Promise<Chunk> {
    const start = info.start + offset;
    const [poses, joints] = await Promise.all([
      this.wire.ask<ArrayBuffer>({ type: "poses", start, step, count, bodies: info.moving }),
      this.wire.ask<ArrayBuffer>({ type: "joints", start, step, count }),
    ]);
    return { poses: { ...readPoses(poses), start: offset }, joints: readJoints(joints) };
  }

  /** Joint values of a robot at the playhead [rad or m]; those of the present state when nothing was recorded. */
  jointsNow(name: string): number[] {
    const robots = this.scene?.robots ?? [];
    const place = robots.findIndex((robot) => robot.name === name);
    const before = robots.slice(0, place).reduce((sum, robot) => sum + robot.joints.length, 0);
    const all = this.playback.duration > 0 ? this.track.joints(this.playback.time) : undefined;
    return all?.slice(before, before + robots[place]!.joints.length) ?? robots[place]?.values ?? [];
  }

  private note(progress: Progress): void {
    const rest = this.jobs.filter((job) => job.job !== progress.job);
    this.jobs = progress.done ? rest : [...rest, progress].sort((a, b) => a.request - b.request);
  }

  /** A note about the cell, once in the console however often the server greets. */
  private remark(note: string): void {
    if (this.remarks.has(note)) return;
    this.remarks.add(note);
    this.enter({ id: ++this.counter, line: "", state: "done", text: note, column: null, kind: "note" });
  }

  private enter(entry: Entry): Entry {
    this.entries.push(entry);
    if (this.entries.length > KEPT_ENTRIES) this.entries.splice(0, this.entries.length - KEPT_ENTRIES);
    return this.entries[this.entries.length - 1]!;
  }

  // ---- what the person does ------------------------------------------------------------------------------

  /** Do a command line and show it in the console. */
  async command(line: string): Promise<boolean> {
    const entry = this.enter({ id: ++this.counter, line, state: "busy", text: "", column: null, kind: "" });
    try {
      const result = await this.wire.ask<Result>({ type: "command", line });
      entry.text = result.text;
      entry.state = "done";
      return true;
    } catch (error) {
      entry.text = (error as Error).message;
      entry.state = "error";
      if (error instanceof Refusal) {
        entry.kind = error.failure.kind;
        if (error.failure.line === line) entry.column = error.failure.column;
      }
      return false;
    }
  }

  /** Run a program of the cell and play it from the start. */
  async run(name: string): Promise<void> {
    this.playback.pause();
    if (!(await this.command(`run ${/\s/.test(name) ? JSON.stringify(name) : name}`))) return;
    this.playback.seek(0);
    this.playback.play();
  }

  /** Do a command that a button stands for; only a failure is shown. */
  async quiet(line: string): Promise<void> {
    try {
      await this.wire.ask<Result>({ type: "command", line });
    } catch (error) {
      this.toast(error instanceof Refusal ? "Refused" : "Not done", (error as Error).message);
    }
  }

  async complete(text: string): Promise<{ text: string; help: string }[]> {
    try {
      return (await this.wire.ask<Completions>({ type: "complete", text })).options;
    } catch {
      return [];
    }
  }

  /** Play or pause; when nothing was recorded yet, the server simulates first. */
  async togglePlay(): Promise<void> {
    if (this.playback.duration > 0 || this.playback.playing) {
      this.playback.toggle();
      return;
    }
    try {
      const info = await this.wire.ask<RecordingInfo>({ type: "play" });
      if (info.epoch !== this.recording?.epoch) this.record(info);
      if (info.duration > 0) this.playback.play();
      else this.toast("Nothing to play", "Move a robot first: its motion is recorded and can be played.");
    } catch (error) {
      this.toast("Cannot play", (error as Error).message);
    }
  }

  cancel(job: string): void {
    try {
      this.wire.send({ type: "cancel", job });
    } catch (error) {
      this.toast("Not cancelled", (error as Error).message);
    }
  }

  measure(reset: boolean): Promise<Status> {
    return this.wire.ask<Status>({ type: "fetch-status", reset });
  }

  // ---- selection -----------------------------------------------------------------------------------------

  node(id: string): TreeNode | undefined {
    return this.nodes.get(id);
  }

  select(id: string): void {
    this.selected = id;
  }

  /** Select what a body belongs to: first the robot or object, then, when that is selected, the link. */
  pick(body: number): void {
    const holders = [...this.nodes.values()].filter((node) => node.kind !== "group" && node.bodies.includes(body));
    const place = holders.findIndex((node) => node.id === this.selected);
    const next = holders[(place + 1) % Math.max(1, holders.length)];
    this.selected = next?.id ?? "";
  }

  toggleHidden(id: string): void {
    const hidden = new Set(this.hidden);
    if (!hidden.delete(id)) hidden.add(id);
    this.hidden = hidden;
  }

  /** The places in the scene's list that are not to be seen. */
  get hiddenBodies(): Set<number> {
    return new Set([...this.hidden].flatMap((id) => this.nodes.get(id)?.bodies ?? []));
  }

  toast(title: string, text: string): void {
    const id = ++this.counter;
    if (this.toasts.some((toast) => toast.text === text)) return;
    this.toasts = [...this.toasts.slice(-3), { id, title, text }];
    setTimeout(() => this.dismiss(id), TOAST_TIME);
  }

  dismiss(id: number): void {
    this.toasts = this.toasts.filter((toast) => toast.id !== id);
  }
}
