// The events of a recording as marks on the time line: those too close to be told apart are one mark.
import type { EventInfo } from "./protocol";

/** Events that share a mark, and the time of the first [s]. */
export interface Marker {
  time: number;
  events: EventInfo[];
}

/** The marks of events in the order of their times, at least `gap` [s] apart. */
export function markers(events: readonly EventInfo[], gap: number): Marker[] {
  const found: Marker[] = [];
  for (const event of events) {
    const last = found.at(-1);
    if (last && event.time - last.time < gap) last.events.push(event);
    else found.push({ time: event.time, events: [event] });
  }
  return found;
}

/** The sentences of a mark, at most `most` of them. */
export function words({ events }: Marker, most = 6): string {
  const more = events.length > most ? [`and ${events.length - most} more`] : [];
  return [...events.slice(0, most).map((event) => event.text), ...more].join("\n");
}
