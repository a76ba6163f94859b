// The signals at the playhead, from the recording.
import type { Connection } from "./connection.svelte";
import type { SignalTimes } from "./commands";
import type { Recording } from "./recording.svelte";
import type { Time } from "./time.svelte";

export class PlayedSignals {
  private times = $state.raw<SignalTimes>();
  private of = -1;

  constructor(
    private connection: Connection,
    private time: Time,
    private recording: Recording,
  ) {}

  /** Learn when signals changed, if a moment of another recording is shown. */
  async follow(): Promise<void> {
    const number = this.recording.info?.number ?? 0;
    if (this.time.mode === "now" || number === this.of) return;
    this.of = number;
    this.times = undefined;
    const found = await this.connection.call("signal-times", {}).catch(() => undefined);
    if (this.of === number) this.times = found;
  }

  /** The unit of the values of a signal; "" for a plain number. */
  unit(name: string): string {
    return this.times?.units?.[name] ?? "";
  }

  /** The values at the playhead by the names of the signals; undefined while now is shown, and until they are known. */
  get values(): Map<string, number> | undefined {
    const { times } = this;
    if (this.time.mode === "now" || !times || this.of !== (this.recording.info?.number ?? 0)) return undefined;
    const values = new Map(Object.entries(times.start));
    const now = this.recording.start + this.time.time + 1e-9;
    for (const [time, name, value] of times.changes) {
      if (time > now) break;
      values.set(name, value);
    }
    return values;
  }
}
