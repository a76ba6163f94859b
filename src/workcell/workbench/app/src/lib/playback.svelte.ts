// The playhead: simulated time, real time of playing, speed.

export const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 5, 10];

export class Playback {
  duration = $state(0);
  time = $state(0);
  real = $state(0);
  speed = $state(1);
  loop = $state(false);
  playing = $state(false);
  /** Playing, but the poses at the playhead have not arrived. */
  waiting = $state(false);

  get atEnd(): boolean {
    return this.time >= this.duration;
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  play(): void {
    if (this.duration <= 0) return;
    if (this.atEnd) this.seek(0);
    this.playing = true;
  }

  pause(): void {
    this.playing = false;
    this.waiting = false;
  }

  /** Move the playhead; at the start, real time is reset. */
  seek(time: number): void {
    this.time = Math.min(this.duration, Math.max(0, time));
    if (this.time === 0) this.real = 0;
  }

  /** Set the length of a new recording. */
  resize(duration: number): void {
    this.duration = duration;
    this.time = Math.min(this.time, duration);
    if (duration === 0) {
      this.pause();
      this.real = 0;
    }
  }

  /** Let `elapsed` seconds of real time pass; `ready` is whether the poses at the playhead have arrived. */
  advance(elapsed: number, ready: boolean): void {
    if (!this.playing) return;
    this.waiting = !ready;
    if (!ready) return;
    this.real += elapsed;
    this.time += elapsed * this.speed;
    if (this.time < this.duration) return;
    if (this.loop && this.duration > 0) {
      this.time %= this.duration;
      return;
    }
    this.time = this.duration;
    this.pause();
  }

  faster(step: 1 | -1): void {
    const place = SPEEDS.indexOf(this.speed);
    this.speed = SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, place + step))] ?? 1;
  }
}
