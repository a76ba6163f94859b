// The arrows and rings that are dragged, in the colours of the page. They are fetched when they are first needed.
import type { TransformControls } from "three/examples/jsm/controls/TransformControls.js";
import { AXES, HELD } from "../themes";
import type { Pane } from "./pane";

/** Arrows in a pane; their size is that of a usual handle for 1. */
export async function handleIn(pane: Pane, size: number): Promise<TransformControls> {
  const { TransformControls } = await import("three/examples/jsm/controls/TransformControls.js");
  const controls = new TransformControls(pane.camera, pane.element);
  controls.size = size;
  controls.setColors(...AXES, HELD);
  return controls;
}
