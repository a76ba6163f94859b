// A camera whose numbers are typed.
import type { UnitNames } from "./protocol";
import { plain } from "./text";
import { AWAY } from "./view/fitting";
import type { CameraState } from "./views.svelte";

/** What can be typed: a coordinate of the eye or of the target [m], or the zoom. */
export type Typed = { of: "from" | "at"; axis: number; value: number } | { of: "zoom"; value: number };

/** The camera with what was typed, or why it cannot be. */
export function typedCamera(camera: CameraState, typed: Typed, units: UnitNames): CameraState | string {
  const next: CameraState = { ...camera, from: [...camera.from], at: [...camera.at] };
  if (typed.of === "zoom") next.zoom = typed.value;
  else next[typed.of][typed.axis] = typed.value;
  if (!(next.zoom > 0)) return "The zoom must be more than 0.";
  const away = Math.hypot(...next.from.map((value, i) => value - next.at[i]!));
  if (away >= AWAY[0] && away <= AWAY[1]) return next;
  const [least, most, found] = [...AWAY, away].map((value) => `${plain(value / units.lengthSize, 1)} ${units.length}`);
  return `The eye must be ${least} to ${most} from the target; this would be ${found}.`;
}
