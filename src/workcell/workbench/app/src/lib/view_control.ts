// What the view offers to actions, cards and dialogs.
import type { ViewRow } from "./commands";
import type { CameraPlace } from "./exports";
import type { Under } from "./snapping";
import type { Triple } from "./view/appearance";
import type { CameraState } from "./views.svelte";

export interface ViewControl {
  /** Whether shadows can be drawn. */
  shadows: boolean;
  fit(direction?: string): void;
  /** Where everything lies along a direction [m]. */
  extent(normal: Triple): [number, number];
  /** The direction in which the pane in use looks. */
  sight(): Triple;
  /** The camera of a pane. */
  cameraOf(pane: number): CameraState | undefined;
  /** Let a pane look as a view does. */
  look(pane: number, view: ViewRow): void;
  /** Put the camera of a pane somewhere else, as it was typed. */
  aim(pane: number, camera: CameraState): void;
  /** Fit everything if the selection is not in the view, or what is new since there were only some bodies, as soon as it is drawn. */
  reveal(before?: ReadonlySet<string>): void;
  /** The point of the scene [m] at a place of the window [pixels] on which something can stand. */
  spotAt(x: number, y: number): Triple | undefined;
  /** What is at a place of the window [pixels]. */
  underAt(x: number, y: number): Under | undefined;
  /** Where everything ends along x [m]. */
  beyond(): number;
  /** Where the camera of the pane in use is. */
  camera(): CameraPlace | undefined;
  orbit(right: number, up: number): void;
  pan(right: number, up: number): void;
  zoom(factor: number): void;
  /** How far bodies can go down until they stand on others or on the floor [m]. */
  fall(own: readonly string[], except: ReadonlySet<string>): number;
}
