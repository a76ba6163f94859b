// What the page knows: the cell, the recording, the selection, the console, the jobs.
import type { Commands } from "./commands";
import { readMotion } from "./frames";
import { Picture, type Touched } from "./picture";
import { Playback } from "./playback.svelte";
import type {
  Change,
  Completions,
  Facts,
  Hello,
  Progress,
  Recorded,
  RecordingInfo,
  Result,
  ServerMessage,
  Status,
} from "./protocol";
import { VERSION } from "./protocol";
import { type Extent, Track } from "./track";
import { type TreeNode, treeOf } from "./tree";
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
  /** Why the server does not let this page in, and what to do; empty if it does, or does not answer. */
  refusal = $state("");
  hello = $state.raw<Hello>();
  facts = $state.raw<Facts>();
  tree = $state.raw<TreeNode[]>();
  /** The cell; `seen` counts its changes, so that components update. */
  picture = new Picture();
  seen = $state(0);
  recording = $state.raw<RecordingInfo>();
  status = $state.raw<Status>();
  track = $state.raw<Track>(
    new Track(
      { start: 0, duration: 0, bodies: [], robots: [] },
      () => Promise.reject(new Error("There is no recording.")),
      () => 0,
    ),
  );
  entries = $state<Entry[]>([]);
  jobs = $state<Progress[]>([]);
  toasts = $state<Toast[]>([]);
  selected = $state<string>("");
  hidden = $state.raw<ReadonlySet<string>>(new Set());
  shapes = $state({ here: 0, wanted: 0 });
  /** How many scenes were shown, and when the first shapes were on the screen [ms since the page loaded]. */
  revisions = 0;
  firstFrame = 0;
  /** Counts the chunks that arrived, so that components update. */
  chunks = $state(0);
  playback = new Playback();
  private wire: Wire;
  private counter = 0;
  private remarks = new Set<string>();
  private nodes = $state.raw<ReadonlyMap<string, TreeNode>>(new Map());
  private watchers = new Set<(touched: Touched) => void>();
  private askedForWhole = false;

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

  // ---- messages of the server ----------------------------------------------------------------------------

  private receive(message: ServerMessage): void {
    switch (message.type) {
      case "hello":
        this.hello = message;
        if (message.version !== VERSION) this.toast("Different version", "The server was updated. Reload the page.");
        message.notes.forEach((note) => this.remark(note));
        break;
      case "scene":
        this.askedForWhole = false;
        this.show(this.picture.replace(message));
        break;
      case "difference":
        this.show(this.picture.apply(message));
        break;
      case "behind":
        this.show(undefined);
        break;
      case "recording":
        this.record(message);
        break;
      case "recorded":
        this.goOn(message);
        break;
      case "change":
        this.hear(message);
        break;
      case "notice":
        this.toast(message.who, `${message.line}: ${message.message}`);
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
        break;
    }
  }

  private changeLink(state: "connecting" | "open" | "lost"): void {
    if (state === "lost" && this.link === "open") this.toast("Disconnected", "The server does not answer; reconnecting.");
    if (state === "lost" && this.link === "connecting") void this.askWhy();
    this.link = state === "connecting" && this.link === "lost" ? "lost" : state;
    if (state === "lost") this.jobs = [];
    if (state === "open") this.refusal = "";
  }

  /** A refused socket gives no reason; a plain request does. */
  private async askWhy(): Promise<void> {
    try {
      const answer = await fetch(this.probe);
      this.refusal = answer.status === 403 ? await answer.text() : "";
    } catch {
      // no server: the top bar shows that the page is reconnecting
    }
  }

  /** Call `watcher` with what changed in the picture, from now on; returns a function that stops it. */
  watch(watcher: (touched: Touched) => void): () => void {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }

  /** The picture as lists; for tests. */
  get scene() {
    void this.seen;
    const { bodies, robots, zones, nodes } = this.picture;
    const lists = { bodies: [...bodies.values()], robots: [...robots.values()], zones: [...zones.values()] };
    return this.facts ? { ...this.facts, ...lists, nodes: [...nodes.values()] } : undefined;
  }

  /** Show what changed; after a missed difference, ask for the whole. */
  private show(touched: Touched | undefined): void {
    if (!touched) {
      if (!this.askedForWhole) this.wire.send({ type: "fetch-scene" });
      this.askedForWhole = true;
      return;
    }
    this.facts = this.picture.facts;
    this.revisions += 1;
    if (touched.lists || this.tree === undefined) {
      this.tree = treeOf(this.picture);
      const nodes = new Map<string, TreeNode>();
      const visit = (node: TreeNode) => {
        nodes.set(node.id, node);
        node.children.forEach(visit);
      };
      this.tree.forEach(visit);
      this.nodes = nodes;
      if (!this.nodes.has(this.selected)) this.selected = "";
    }
    this.seen += 1;
    for (const watcher of this.watchers) watcher(touched);
  }

  /** Show what another client did that concerns everybody: undo, redo, a loaded recording, other units. */
  private hear(change: Change): void {
    if (change.who === this.hello?.client) return;
    const whose = (who: string) => (who === this.hello?.client ? "this window" : who);
    if (change.undone) {
      this.toast(`Undone by ${change.who}`, `${change.undone.label} (a step of ${whose(change.undone.who)})`);
    } else if (change.redone) {
      this.toast(`Redone by ${change.who}`, `${change.redone.label} (a step of ${whose(change.redone.who)})`);
    } else if (change.effect === "view" || change.line.startsWith("units ")) {
      this.toast(`By ${change.who}`, change.line);
    }
  }

  private extent(info: RecordingInfo): Extent {
    return { start: info.start, duration: info.duration, bodies: info.moving, robots: info.robots };
  }

  private record(info: RecordingInfo): void {
    const track = new Track(
      this.extent(info),
      async (start, end, bodies, robots) =>
        readMotion(await this.wire.ask<ArrayBuffer>({ type: "motion", start, end, bodies, robots })),
      (robot) => this.picture.robots.get(robot)?.joints.length ?? 0,
    );
    track.onload = () => (this.chunks += 1);
    this.track = track;
    this.resize(info);
  }

  /** The recording grew or was cut; motion that was loaded before that stays. */
  private goOn(change: Recorded): void {
    const known = this.recording;
    if (known?.number !== change.before) {
      this.show(undefined);
      return;
    }
    const gone = new Set(change.still ?? []);
    const info: RecordingInfo = {
      ...known,
      number: change.after,
      duration: change.duration,
      robots: change.robots ?? known.robots,
      moving: [...known.moving.filter((body) => !gone.has(body)), ...(change.moving ?? [])],
      events: [...known.events.slice(0, change.eventsKept), ...(change.events ?? [])],
    };
    this.track.extend(this.extent(info), change.kept);
    this.chunks += 1;
    this.resize(info);
  }

  private resize(info: RecordingInfo): void {
    const before = this.recording?.duration ?? 0;
    const wasAtEnd = this.playback.atEnd && !this.playback.playing;
    const first = this.recording === undefined;
    const known = this.recording?.moving ?? [];
    this.recording = info;
    this.playback.resize(info.duration);
    // A new move at the end is shown: the playhead plays what was added.
    if (!first && wasAtEnd && info.duration > before) this.playback.playing = true;
    if (info.duration > 0) this.track.want(this.playback.time);
    const moving = new Set(info.duration > 0 ? info.moving : []);
    const still = known.filter((body) => !moving.has(body));
    for (const watcher of this.watchers) {
      watcher({ bodies: new Set(still), zones: false, lists: false, whole: false });
    }
  }

  /** Joint values of a robot at the playhead [rad or m]; those of the current state if it does not move. */
  jointsNow(robot: string): number[] {
    const moves = this.playback.duration > 0 && this.recording?.robots.includes(robot);
    const played = moves ? this.track.jointsAt(robot, this.playback.time) : undefined;
    return played ?? this.picture.robots.get(robot)?.values ?? [];
  }

  private note(progress: Progress): void {
    const rest = this.jobs.filter((job) => job.job !== progress.job);
    const number = (job: Progress) => Number(job.job.replace(/\D/g, ""));
    this.jobs = progress.done ? rest : [...rest, progress].sort((a, b) => number(a) - number(b));
  }

  /** Show a note about the cell in the console, once even if the page reconnects. */
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

  // ---- actions of the user -------------------------------------------------------------------------------

  /** Carry out a command line and show it in the console. */
  command(line: string): Promise<boolean> {
    return this.inConsole(line, () => this.wire.ask<Result>({ type: "command", line }));
  }

  private async inConsole(line: string, ask: () => Promise<Result>): Promise<boolean> {
    const entry = this.enter({ id: ++this.counter, line, state: "busy", text: "", column: null, kind: "" });
    try {
      const result = await ask();
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

  private ask<Name extends keyof Commands>(command: Name, parameters: Commands[Name]["parameters"]): Promise<Result> {
    return this.wire.ask<Result>({ type: "call", command, parameters });
  }

  /** Carry out a command with typed parameters in SI units; returns its typed answer. */
  async call<Name extends keyof Commands>(
    command: Name,
    parameters: Commands[Name]["parameters"],
  ): Promise<Commands[Name]["result"]> {
    return (await this.ask(command, parameters)).value as Commands[Name]["result"];
  }

  /** Run a program of the cell and play it from the start. */
  async run(name: string): Promise<void> {
    this.playback.pause();
    if (!(await this.inConsole(`run ${name}`, () => this.ask("run", { program: name })))) return;
    this.playback.seek(0);
    this.playback.play();
  }

  /** Carry out the command of a button; only a failure is shown. */
  async quiet<Name extends keyof Commands>(command: Name, parameters: Commands[Name]["parameters"]): Promise<void> {
    try {
      await this.call(command, parameters);
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

  /** Play or pause; if nothing is recorded yet, the server simulates first. */
  async togglePlay(): Promise<void> {
    if (this.playback.duration > 0 || this.playback.playing) {
      this.playback.toggle();
      return;
    }
    try {
      const info = await this.wire.ask<RecordingInfo>({ type: "play" });
      if (info.number !== this.recording?.number) this.record(info);
      if (info.duration > 0) this.playback.play();
      else this.toast("Nothing to play", "Move a robot first. Its motion is recorded, and you can play it.");
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

  /** Select what a body belongs to: first the robot or object and, if that is selected, the link. */
  pick(body: string): void {
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

  /** The hidden bodies. */
  get hiddenBodies(): Set<string> {
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
