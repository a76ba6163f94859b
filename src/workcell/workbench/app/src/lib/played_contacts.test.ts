import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Checks } from "./checks.svelte";
import type { CheckedSpan } from "./commands";
import type { Connection } from "./connection.svelte";
import { PlayedContacts } from "./played_contacts.svelte";
import type { Preferences } from "./preferences.svelte";
import type { Recording } from "./recording.svelte";
import type { Scene } from "./scene.svelte";
import { Time } from "./time.svelte";

const START = 2; // s, of the recording
const span = (begin: number, end: number, first: string, verdict = "contact"): CheckedSpan => ({ begin, end, verdict, pair: [first, "table"], reason: "" });
const DEEP = { pair: ["table", "wrist"], kind: "surfaces", point: [1, 2, 3], depth: 0.01, margin: 0 };

/** A recording of four seconds, checked; the server finds one contact anywhere. */
function played(spans: CheckedSpan[]) {
  const asked: [string, number | undefined][] = [];
  const call = (command: string, { time }: { time?: number }) => {
    asked.push([command, time]);
    return Promise.resolve(command === "contacts" ? { contacts: [DEEP] } : { distance: 0.5, pair: ["a", "b"], points: [[0, 0, 0], [0.5, 0, 0]] });
  };
  const time = new Time();
  time.duration = 4;
  const preferences = { view: { contacts: true, clearance: false } };
  const bodies = new Map(["wrist", "table", "hand"].map((name) => [`id-${name}`, { id: `id-${name}`, name }]));
  const contacts = new PlayedContacts(
    { call, link: "open", status: { warm: true } } as unknown as Connection,
    { picture: { bodies }, facts: { revision: "r" } } as unknown as Scene,
    preferences as Preferences,
    time,
    { start: START, info: { number: 1 } } as unknown as Recording,
    { spans } as unknown as Checks,
  );
  const names = () => contacts.list.map(({ pair }) => pair.join(" "));
  return { contacts, time, asked, names, preferences };
}

describe("contacts in playback", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("are the pairs that the check found at the playhead, without a question", () => {
    const { contacts, time, asked, names } = played([span(3, 4, "wrist"), span(3.5, 5, "hand"), span(3, 6, "wrist", "undecided")]);
    time.play();
    const at = (playhead: number) => {
      time.time = playhead;
      contacts.follow();
      return names();
    };
    expect(at(0.5)).toEqual([]);
    expect(at(1)).toEqual(["wrist table"]); // it begins exactly here
    expect(at(1.6)).toEqual(["wrist table", "hand table"]);
    expect([...contacts.bodies]).toEqual(["id-wrist", "id-table", "id-hand"]);
    expect(at(2)).toEqual(["hand table"]);
    expect(at(3)).toEqual([]);
    vi.advanceTimersByTime(5000);
    expect(asked).toEqual([]);
  });

  it("have their point and depth, and the smallest distance, where the playhead rests", async () => {
    const { contacts, time, asked, names, preferences } = played([span(3, 4, "wrist"), span(3, 4, "hand")]);
    preferences.view.clearance = true;
    for (const playhead of [0.2, 0.7, 1.5]) {
      time.seek(playhead);
      contacts.follow();
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(asked).toEqual([]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(asked).toEqual([["contacts", 3.5], ["clearance", 3.5]]);
    expect(names()).toEqual(["table wrist", "hand table"]); // a pair is named once
    expect(contacts.list[0]!.depth).toBe(0.01);
    expect(contacts.distance?.length).toBe(0.5);
    time.seek(1.6);
    expect(names()).toEqual(["wrist table", "hand table"]);
    expect(contacts.distance).toBe(undefined);
    time.seek(1.5);
    time.toNow();
    expect(contacts.any).toBe(false);
  });

  it("are not shown if contacts are not marked", () => {
    const { time, names, preferences } = played([span(3, 4, "wrist")]);
    preferences.view.contacts = false;
    time.seek(1.5);
    expect(names()).toEqual([]);
  });
});
