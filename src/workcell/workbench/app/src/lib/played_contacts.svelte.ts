// Contacts at the playhead: those that the check of the recording found, at once and without asking; and where the
// playhead rests, what the server finds there, with points and depths, and the smallest distance.
import type { Checks } from "./checks.svelte";
import type { Connection } from "./connection.svelte";
import { bodiesOf, type Contact, contactOf, type Distance, distanceOf, type Touching } from "./contacts.svelte";
import type { Preferences } from "./preferences.svelte";
import type { Recording } from "./recording.svelte";
import { Repeated } from "./repeated";
import type { Scene } from "./scene.svelte";
import type { Time } from "./time.svelte";

/** What the server found at a time of a recording [s]. */
interface Found {
  recording: number;
  moment: number;
  contacts: readonly Contact[];
  distance: Distance | undefined;
}

const QUIET = 250; // ms that the playhead rests
const COLD = 500; // ms until it is looked again whether the engines are loaded
const EXACT = 1e-6; // s

export class PlayedContacts implements Touching {
  /** Distances that somebody measured are those of now. */
  readonly measured = undefined;
  private found = $state.raw<Found>();
  private asked = new Repeated(QUIET, () => this.ask());
  /** The numbers of the checked spans at the playhead: a text, so that nothing is drawn again while it stays the same. */
  private within = $derived.by(() => (this.time.live ? "" : this.spansAt(this.recording.start + this.time.time).join(" ")));

  constructor(
    private connection: Connection,
    private scene: Scene,
    private preferences: Preferences,
    private time: Time,
    private recording: Recording,
    private checks: Checks,
  ) {}

  /** The time at which the playhead rests in playback [s]; undefined while now is shown or something is played. */
  get moment(): number | undefined {
    return this.time.live || this.time.playing ? undefined : this.recording.start + this.time.time;
  }

  list = $derived.by<readonly Contact[]>(() => {
    if (!this.preferences.view.contacts) return [];
    const found = this.here?.contacts ?? [];
    const named = new Set(found.map(({ pair }) => nameOf(pair)));
    const pairs = this.within === "" ? [] : this.within.split(" ").map((number) => this.checks.spans[Number(number)]!.pair);
    const more = new Map(pairs.filter((pair) => !named.has(nameOf(pair))).map((pair) => [nameOf(pair), pair]));
    return [...found, ...[...more.values()].map((pair) => ({ pair, kind: "checked", depth: 0 }))];
  });

  get distance(): Distance | undefined {
    return this.preferences.view.clearance ? this.here?.distance : undefined;
  }

  get any(): boolean {
    return this.list.length > 0 || this.distance !== undefined;
  }

  /** The ids of the bodies that touch something. */
  get bodies(): Set<string> {
    return bodiesOf(this.list, this.scene);
  }

  /** Ask when the playhead has rested for a little; call it again when another moment is shown, or the cell changed. */
  follow(): void {
    const { contacts, clearance } = this.preferences.view;
    void [contacts, clearance, this.scene.facts?.revision, this.recording.info?.number];
    if (this.moment !== undefined) this.asked.refresh();
  }

  /** What was found at the moment that is shown. */
  private here = $derived.by(() => {
    const { found } = this;
    return found && found.moment === this.moment && found.recording === this.recording.info?.number ? found : undefined;
  });

  private spansAt(time: number): number[] {
    const last = this.recording.start + this.time.duration - EXACT;
    return this.checks.spans.flatMap(({ begin, end, verdict }, number) => {
      const touches = verdict === "contact" && time > begin - EXACT && (time < Math.max(end, begin + EXACT) - EXACT / 2 || end > last);
      return touches ? [number] : [];
    });
  }

  private ask(): Promise<void> | undefined {
    const { contacts, clearance } = this.preferences.view;
    const { moment } = this;
    const recording = this.recording.info?.number;
    if (moment === undefined || recording === undefined || (!contacts && !clearance) || this.connection.link !== "open") return undefined;
    if (this.connection.status?.warm) return this.fetch(recording, moment, contacts, clearance);
    this.asked.refresh(COLD); // the engines are being loaded
    return undefined;
  }

  private async fetch(recording: number, moment: number, contacts: boolean, clearance: boolean): Promise<void> {
    const found: Found = { recording, moment, contacts: [], distance: undefined };
    try {
      if (contacts) found.contacts = (await this.connection.call("contacts", { time: moment })).contacts.map(contactOf);
      if (clearance && this.moment === moment) found.distance = distanceOf(await this.connection.call("clearance", { time: moment }));
    } catch {
      // the collision commands say why when they are typed
    }
    this.found = found;
  }
}

function nameOf(pair: readonly [string, string]): string {
  return [...pair].sort().join("\n");
}
