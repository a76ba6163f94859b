// A jog button that is pressed or held: one step, or step after step, for the robot in hand when it was pressed.
import type { Pendant } from "./pendant.svelte";
import type { Time } from "./time.svelte";

const HOLD = 400; // ms after which a press is a hold
const LOOK = 20; // ms between two looks at a motion that is shown
const pause = (time: number) => new Promise((resolve) => setTimeout(resolve, time));

export class Jogging {
  private turn = 0; // a new number for every press and release
  private pressed = false;
  private went = false; // whether the last press was a hold, so that its click is no step
  private lost = false; // whether its robot went or changed meanwhile

  constructor(
    private pendant: Pendant,
    private time: Time,
  ) {}

  /** Go step after step until the release; each begins when the one before was done and seen. */
  async hold(axis: number, sign: 1 | -1): Promise<void> {
    const mine = ++this.turn;
    const held = () => this.turn === mine && this.pendant.holds;
    this.went = this.lost = false;
    this.pressed = true;
    this.pendant.grasp("jogged");
    await pause(HOLD);
    while (held()) {
      this.went = true;
      if (!(await this.pendant.jog(axis, sign))) return;
      await pause(0); // its motion begins to be shown
      while (held() && this.time.playing) await pause(LOOK);
    }
  }

  /** The button is let go; its click may follow. */
  release(): void {
    if (!this.pressed) return;
    this.pressed = false;
    this.turn += 1;
    this.lost = !this.pendant.release();
  }

  /** One step, unless the press was a hold or its robot is not in hand any more. */
  click(axis: number, sign: 1 | -1): void {
    if (!this.went && !this.lost) void this.pendant.jog(axis, sign);
    this.went = this.lost = false;
  }
}
