// On a slow machine, fewer pixels while something moves, and all of them when nothing moves.

const SLOW = 42; // ms between frames that is too long
const FAST = 20;
const LEAST = 0.5;
const STILL_AFTER = 250; // ms

export class Sharpness {
  /** The share of pixels along each side that is drawn now. */
  scale = 1;
  private moving = 1;
  private average = 25;
  private drawn = -Infinity;

  constructor(private fixed: boolean) {}

  /** Called at every pass of the frame loop; true when the scale has changed. */
  next(now: number, moves: boolean): boolean {
    if (this.fixed) return false;
    const before = this.scale;
    if (moves) {
      const interval = now - this.drawn;
      if (interval < STILL_AFTER) this.adapt(interval);
      this.drawn = now;
      this.scale = this.moving;
    } else if (now - this.drawn > STILL_AFTER) {
      this.scale = 1;
      if (before !== 1) this.drawn = -Infinity; // drawing it sharp is not a motion
    }
    return this.scale !== before;
  }

  private adapt(interval: number): void {
    this.average += 0.12 * (interval - this.average);
    if (this.average > SLOW && this.moving > LEAST) this.moving = Math.max(LEAST, 0.85 * this.moving);
    else if (this.average < FAST && this.moving < 1) this.moving = Math.min(1, 1.1 * this.moving);
    else return;
    this.average = (SLOW + FAST) / 2; // measure the effect first
  }
}
