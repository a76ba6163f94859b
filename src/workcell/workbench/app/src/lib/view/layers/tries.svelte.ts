// What searches for paths tried, as faint lines where the hand would have gone: those of the last search of each robot.
import { BufferAttribute, BufferGeometry, LineBasicMaterial, LineSegments } from "three";
import type { Bench } from "../../bench.svelte";
import type { EventInfo } from "../../protocol";
import type { Layer } from "../layer";
import type { Stage } from "../stage";

/** The lines of the last search of each robot up to a time [s]. */
export function triedLines(events: readonly EventInfo[], time: number): number[][] {
  const last = new Map<string, { time: number; lines: number[][] }>();
  for (const event of events) {
    if (!event.lines?.length || event.time > time + 1e-9) continue;
    const robot = event.robot ?? "";
    const known = last.get(robot);
    if (known?.time === event.time) known.lines.push(...event.lines);
    else last.set(robot, { time: event.time, lines: [...event.lines] });
  }
  return [...last.values()].flatMap((one) => one.lines);
}

export class TryLayer implements Layer {
  readonly kind = "overlay";
  readonly group = new LineSegments(
    new BufferGeometry(),
    new LineBasicMaterial({ color: "#8792a3", transparent: true, opacity: 0.45, depthWrite: false }),
  );

  constructor(bench: Bench, stage: Stage) {
    this.group.name = "tries";
    this.group.frustumCulled = false;
    const lines = $derived.by(() => {
      if (!bench.preferences.view.tries) return [];
      return triedLines(bench.recording.info?.events ?? [], bench.recording.start + bench.time.time);
    });
    const points = $derived(lines.flat());
    $effect(() => {
      this.group.geometry.setAttribute("position", new BufferAttribute(Float32Array.from(points), 3));
      this.group.geometry.setDrawRange(0, points.length / 3);
      this.group.visible = points.length > 0;
      stage.changed();
    });
  }

  dispose(): void {
    this.group.geometry.dispose();
    this.group.material.dispose();
  }
}
