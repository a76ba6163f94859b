// How near to the pointer something must be to be picked.
import { OrthographicCamera, type Raycaster } from "three";
import { FIELD } from "./pane";

/**
 * The distance by which an angle of the picture becomes a length [m]: how far away a point is, or in a parallel picture, where
 * nothing is smaller with the distance, how far away the picture looks.
 */
export function depthOf({ camera }: Pick<Raycaster, "camera">, away: number): number {
  return camera instanceof OrthographicCamera ? camera.top / Math.tan((FIELD * Math.PI) / 360) : away;
}
