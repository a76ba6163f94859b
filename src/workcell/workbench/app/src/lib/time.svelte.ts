// The time that the page shows: now, or a moment of the recording.
//
// Now is the cell as it is. New motion is played once as it arrives, and then now stands still. Playback shows the
// recording at the playhead, wherever the cell is meanwhile.

export const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 5, 10];

export class Time {
  mode = $state<"now" | "playback">("now");
  /** The length of the recording [s]. */
  duration = $state(0);
  /** The playhead [s since the start of the recording]; at the end while now is shown. */
  time = $state(0);
  /** Real time of playing [s]. */
  real = $state(0);
  speed = $state(1);
  loop = $state(false);
  playing = $state(false);
  /** Playing, but the poses at the playhead have not arrived. */
  waiting = $state(false);
  /** Whether the recording was loaded for viewing: it does not end where the cell is now. */
  loaded = $state(false);
  /** How many changes of the cell were not seen, because playback shows another time. */
  missed = $state(0);
  /** Whether the user placed or held the playhead since playback began. */
  private held = false;

  get atEnd(): boolean {
    return this.time >= this.duration;
  }

  /** Whether the view shows the cell as it is, not a moment of the recording. */
  get live(): boolean {
    return this.mode === "now" && !this.playing;
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  /** Play from the playhead; from the start if now or the end is shown. */
  play(): void {
    if (this.duration <= 0) return;
    if (this.mode === "now" || this.atEnd) this.place(0);
    this.mode = "playback";
    this.held = false;
    this.playing = true;
  }

  /** Play on from the playhead after it was moved. */
  goOn(): void {
    this.playing = this.duration > 0;
  }

  /** Play from the start. */
  replay(): void {
    if (this.duration <= 0) return;
    this.missed = 0;
    this.place(0);
    this.play();
  }

  /** Hold the playhead where it is. */
  pause(): void {
    if (this.playing) {
      this.mode = "playback";
      this.held = true;
    }
    this.stop();
  }

  /** Keep showing what is shown until a change of this window arrives; then now is shown. */
  standBy(): void {
    if (this.playing) this.mode = "playback";
    this.held = false;
    this.stop();
  }

  /** Stop playing, because something else follows. */
  stop(): void {
    this.playing = false;
    this.waiting = false;
  }

  /** The user moves the playhead: playback is shown there. */
  seek(time: number): void {
    if (this.duration <= 0) return;
    this.mode = "playback";
    this.held = true;
    this.place(time);
  }

  private place(time: number): void {
    this.time = Math.min(this.duration, Math.max(0, time));
    if (this.time === 0) this.real = 0;
  }

  /** Show the cell as it is. */
  toNow(): void {
    this.stop();
    this.mode = "now";
    this.held = false;
    this.missed = 0;
    this.time = this.duration;
  }

  /** Go to the end of the recording: that is now, unless the recording was loaded. */
  toEnd(): void {
    if (this.loaded) this.seek(this.duration);
    else this.toNow();
  }

  /** The recording has another length, with new motion from `since` on [s], if there is any. */
  resize(duration: number, since?: number): void {
    this.duration = duration;
    if (this.mode === "playback") {
      this.place(this.time);
      if (duration === 0) this.toNow();
      return;
    }
    if (!this.playing) this.time = duration;
    if (since !== undefined && since < duration) {
      if (!this.playing) this.place(since); // what plays goes on into the new motion
      this.playing = true;
    } else if (!this.playing || duration === 0 || this.time > duration) this.toNow();
  }

  /** A recording was loaded: play it from its start. */
  load(duration: number): void {
    this.duration = duration;
    this.loaded = true;
    this.mode = "playback";
    this.held = false;
    this.missed = 0;
    this.place(0);
    this.playing = duration > 0;
  }

  /**
   * The cell changed. Returns whether that cannot be seen, because playback shows another time; the page then says so
   * and offers now. If the user did not place the playhead, now is shown at once.
   *
   * @param own whether the change was made in this window.
   */
  changed(own: boolean): boolean {
    if (this.mode === "now") return false;
    if (!this.held && (own || !this.playing)) {
      this.toNow();
      return false;
    }
    this.missed += 1;
    return true;
  }

  /** Let `elapsed` seconds of real time pass; `ready` is whether the poses at the playhead have arrived. */
  advance(elapsed: number, ready: boolean): void {
    if (!this.playing) return;
    this.waiting = !ready;
    if (!ready) return;
    this.real += elapsed;
    this.time += elapsed * this.speed;
    if (this.time < this.duration) return;
    if (this.loop && this.duration > 0 && this.mode === "playback") {
      this.time %= this.duration;
      return;
    }
    this.time = this.duration;
    this.stop();
    if (!this.loaded) this.toNow(); // the end of the recording is now
  }

  faster(step: 1 | -1): void {
    const place = SPEEDS.indexOf(this.speed);
    this.speed = SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, place + step))] ?? 1;
  }
}
