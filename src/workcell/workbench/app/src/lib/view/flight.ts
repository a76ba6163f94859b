// A flight of a camera to another place: it turns about what it looks at, and takes a moment.
import { Spherical, Vector3 } from "three";

const TIME = 320; // ms

/** A camera: what it looks at, and where it is from there. */
export interface Standing {
  target: Vector3;
  offset: Spherical;
}

export class Flight {
  /** Where it goes. */
  readonly to: Standing;

  /** @param begun when it began, by the time of the browser [ms]. */
  constructor(
    private from: Standing,
    to: Standing,
    private begun: number,
  ) {
    const turns = Math.round((to.offset.theta - from.offset.theta) / (2 * Math.PI));
    const offset = to.offset.clone();
    offset.theta -= turns * 2 * Math.PI;
    this.to = { target: to.target.clone(), offset };
  }

  /** Where the camera is at a time [ms], and whether it is there. */
  at(now: number): Standing & { over: boolean } {
    const { from, to } = this;
    const part = Math.min(1, Math.max(0, (now - this.begun) / TIME));
    const ease = part * part * (3 - 2 * part);
    const mix = (a: number, b: number) => a + ease * (b - a);
    const offset = new Spherical(
      mix(from.offset.radius, to.offset.radius),
      mix(from.offset.phi, to.offset.phi),
      mix(from.offset.theta, to.offset.theta),
    );
    return { target: from.target.clone().lerp(to.target, ease), offset, over: part >= 1 };
  }
}

/** A vector in spherical coordinates about the vertical of the world, z. */
export function upright(v: Vector3): Spherical {
  return new Spherical().setFromVector3(new Vector3(v.x, v.z, -v.y));
}

/** The vector with such coordinates. */
export function level(offset: Spherical): Vector3 {
  const y = new Vector3().setFromSpherical(offset.makeSafe());
  return new Vector3(y.x, -y.z, y.y);
}
