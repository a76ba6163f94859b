// The recording: what moved and when, with its keyframes loaded as the playhead needs them.
import type { Connection } from "./connection.svelte";
import { POSE, readMotion, readPoses } from "./frames";
import type { Change, EventInfo, Recorded, RecordingInfo } from "./protocol";
import type { Scene } from "./scene.svelte";
import type { Time } from "./time.svelte";
import { type Extent, Track } from "./track";

const CURVES = 8; // colours of curves in app.css
const INSTANTS = 60; // at most, for what a recording covers
const SWEPT = 6000; // poses at most, for the same
const PATIENCE = 1500; // ms that new motion waits to be played

/** Poses of bodies over a whole recording, by their ids: seven numbers each. */
export type Sweep = ReadonlyMap<string, readonly Float32Array[]>;

export class Recording {
  info = $state.raw<RecordingInfo>();
  track = $state.raw<Track>(
    new Track(
      { start: 0, duration: 0, bodies: [], robots: [] },
      () => Promise.reject(new Error("There is no recording.")),
      () => 0,
    ),
  );
  /** The kind of events that is shown; "" for all. */
  kind = $state("");
  /** Counts the keyframes that arrived, so that components update. */
  chunks = $state(0);
  /** Called before new motion is played, which waits for it: the cameras may have to be elsewhere to see it. */
  survey: () => Promise<void> = () => Promise.resolve();
  /** Whether what is to be played was surveyed. */
  surveyed = true;
  private surveys = 0;
  /** Whether something moved since the last message about the recording. */
  private moved = false;
  /** Whether the next whole recording is one that this page has not seen being made. */
  private first = true;

  constructor(
    private connection: Connection,
    private scene: Scene,
    private time: Time,
  ) {}

  /** The kinds of events of this recording. */
  get kinds(): string[] {
    return [...new Set((this.info?.events ?? []).map((event) => event.kind))].sort();
  }

  /** The events that are shown: those of the chosen kind, if this recording has it. */
  get shown(): readonly EventInfo[] {
    const events = this.info?.events ?? [];
    return this.kinds.includes(this.kind) ? events.filter((event) => event.kind === this.kind) : events;
  }

  /** The colour of a kind of events. */
  colour(kind: string): string {
    return `var(--curve-${this.kinds.indexOf(kind) % CURVES})`;
  }

  get start(): number {
    return this.info?.start ?? 0;
  }

  /** Somebody changed the cell; a message about the recording may follow. */
  hear(change: Change): void {
    if (change.effect === "simulates") this.moved = true;
  }

  /** The whole picture comes again: the recording after it is not new motion. */
  begin(): void {
    this.first = true;
  }

  /** The whole recording, another one than before. */
  replace(info: RecordingInfo): void {
    const track = new Track(
      extent(info),
      async (start, end, bodies, robots) =>
        readMotion(await this.connection.ask<ArrayBuffer>({ type: "motion", start, end, bodies, robots })),
      (robot) => this.scene.picture.robots.get(robot)?.joints.length ?? 0,
    );
    track.onload = () => (this.chunks += 1);
    this.track = track;
    const fresh = !this.first && info.loaded && info.number !== this.info?.number;
    const since = this.moved && !this.first ? 0 : undefined;
    this.first = false;
    this.take(info);
    if (fresh) {
      this.time.load(info.duration);
      track.want(0);
      this.hold();
      return;
    }
    if (this.time.loaded && !info.loaded) {
      this.time.loaded = false;
      this.time.toNow();
    }
    this.time.loaded = info.loaded;
    this.resize(info, since);
  }

  /** The recording grew or was cut; motion that was loaded before that stays. */
  goOn(change: Recorded): void {
    const known = this.info;
    if (known?.number !== change.before) {
      this.begin();
      this.scene.catchUp();
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
    this.track.extend(extent(info), change.kept);
    this.chunks += 1;
    this.take(info);
    this.resize(info, this.moved ? change.kept : undefined);
  }

  private take(info: RecordingInfo): void {
    const known = this.info?.moving ?? [];
    this.info = info;
    const moving = new Set(info.duration > 0 ? info.moving : []);
    this.scene.redraw(known.filter((body) => !moving.has(body)));
  }

  private resize(info: RecordingInfo, since: number | undefined): void {
    const { playing } = this.time;
    this.moved = false;
    this.time.resize(info.duration, since);
    if (this.time.playing && !playing) this.hold();
    if (info.duration > 0 && !this.time.live) this.track.want(this.time.time);
  }

  /** Play or pause; if nothing is recorded yet, the server simulates first. */
  async togglePlay(): Promise<void> {
    if (this.time.duration > 0 || this.time.playing) {
      this.time.toggle();
      return;
    }
    const info = await this.connection.ask<RecordingInfo>({ type: "play" });
    if (info.number !== this.info?.number) this.replace(info);
    if (info.duration <= 0) throw new Error("There is nothing to play. Move a robot, or write a program.");
    this.time.replay();
    this.hold();
  }

  /** Play nothing until the motion was surveyed, or that takes too long. */
  private hold(): void {
    const mine = (this.surveys += 1);
    const go = () => {
      if (mine === this.surveys) this.surveyed = true;
    };
    this.surveyed = false;
    setTimeout(go, PATIENCE);
    void this.survey().finally(go);
  }

  /** Where everything that moves is at some instants of the whole recording. */
  async sweep(): Promise<Sweep> {
    const { info } = this;
    if (!info || info.duration <= 0 || info.moving.length === 0) return new Map();
    const bodies = [...info.moving];
    const count = Math.min(INSTANTS, Math.max(2, Math.floor(SWEPT / bodies.length)));
    const step = info.duration / (count - 1);
    const { poses } = readPoses(await this.connection.ask<ArrayBuffer>({ type: "poses", start: info.start, step, count, bodies }));
    const at = (k: number, i: number) => poses.subarray(POSE * (k * bodies.length + i), POSE * (k * bodies.length + i + 1));
    return new Map(bodies.map((body, i) => [body, Array.from({ length: count }, (_, k) => at(k, i))]));
  }

  /** Joint values of a robot at the time that is shown [rad or m]. */
  joints(robot: string): number[] {
    const moves = !this.time.live && this.time.duration > 0 && this.info?.robots.includes(robot);
    const played = moves ? this.track.jointsAt(robot, this.time.time) : undefined;
    return played ?? this.scene.picture.robots.get(robot)?.values ?? [];
  }

  /** The pose of a body at the time that is shown; undefined while the recording of it is loaded. */
  pose(body: string): ArrayLike<number> | undefined {
    const moves = !this.time.live && this.time.duration > 0 && this.info?.moving.includes(body);
    return moves ? this.track.poseAt(body, this.time.time) : this.scene.picture.bodies.get(body)?.pose;
  }
}

function extent(info: RecordingInfo): Extent {
  return { start: info.start, duration: info.duration, bodies: info.moving, robots: info.robots };
}
