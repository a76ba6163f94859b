// Checks of the cell and of the recording: how motions are watched, which moves are proved free, swept volumes, zones.
import type { CheckedMove, CheckedSpan, MovesChecked } from "./commands";
import type { Log } from "./log.svelte";
import type { Recording } from "./recording.svelte";
import type { Scene } from "./scene.svelte";
import { plain, quoted } from "./text";

export const WATCHES = ["no", "yes", "certified"] as const;
export const KEPT = ["ghost", "zone", "block"] as const;

export class Checks {
  busy = $state(false);
  private result = $state.raw<MovesChecked>();
  private of = $state("");

  constructor(
    private log: Log,
    private scene: Scene,
    private recording: Recording,
  ) {}

  // ---- watching ------------------------------------------------------------------------------------------

  /** How motions are watched: no, yes or certified. */
  get watch(): string {
    return (this.scene.facts?.watch ?? "").split(" ")[0] || "no";
  }

  /** Whether a certified motion that can neither be proved free nor shown to touch is made anyway. */
  get undecided(): boolean {
    return this.scene.facts?.watch.endsWith("undecided") ?? false;
  }

  setWatch(how: string, undecided = false): Promise<boolean> {
    return this.log.press(`watch ${how}${how === "certified" && undecided ? " --allow-undecided" : ""}`);
  }

  // ---- the recording -------------------------------------------------------------------------------------

  /** What verdicts are about: the recording among the bodies and the decisions of the cell. */
  private get subject(): string {
    return `${this.recording.info?.number} ${this.scene.facts?.revision}`;
  }

  /** The verdicts on the recording that is shown; undefined if it was not checked in the cell as it is now. */
  get found(): MovesChecked | undefined {
    return this.of === this.subject ? this.result : undefined;
  }

  get spans(): readonly CheckedSpan[] {
    return this.found?.spans ?? [];
  }

  get moves(): readonly CheckedMove[] {
    return this.found?.moves ?? [];
  }

  async check(): Promise<void> {
    const { subject } = this;
    this.busy = true;
    const result = await this.log.value("check moves", "check moves", {});
    this.busy = false;
    if (!result) return;
    this.result = result;
    this.of = subject;
  }

  // ---- swept volumes -------------------------------------------------------------------------------------

  /** Keep the volume that a robot swept between two times of the recording [s], with a tolerance [m]. */
  sweep(name: string, robot: string, from: number, to: number, tolerance: number, kind: string): Promise<boolean> {
    const { length, lengthSize } = this.scene.units;
    const span = `from ${plain(from, 4)} to ${plain(to, 4)}`;
    return this.log.press(`add swept-run ${quoted(name)} of ${quoted(robot)} ${span} tolerance ${plain(tolerance / lengthSize)}${length} as ${kind}`);
  }
}
