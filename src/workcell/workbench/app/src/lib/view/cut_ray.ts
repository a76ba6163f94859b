// A ray through what a section left.
import { type Raycaster, Vector3 } from "three";
import type { Section } from "./appearance";

/** Leave only that part of a ray that is behind the plane of a section. */
export function cutRay(raycaster: Raycaster, { normal, at }: Section): void {
  const n = new Vector3(...normal).normalize();
  const inside = n.dot(raycaster.ray.origin) - at;
  const along = n.dot(raycaster.ray.direction);
  const meets = -inside / along;
  if (inside < 0) raycaster.near = along > 0 ? Math.max(meets, raycaster.near) : Infinity;
  else if (along < 0) raycaster.far = meets;
}
