// Round points with a white rim, which have one size on the screen.
import { PointsMaterial, type PointsMaterialParameters } from "three";
import { patched } from "./shaders";

const ROUND = `float off = 2.0 * length(gl_PointCoord - 0.5);
  diffuseColor.rgb = mix(diffuseColor.rgb, vec3(1.0), smoothstep(0.62, 0.74, off));
  diffuseColor.a *= 1.0 - smoothstep(0.86, 1.0, off);`;

/** The material of points that are drawn over everything; their size is in pixels. */
export function dotMaterial(how: PointsMaterialParameters): PointsMaterial {
  const material = new PointsMaterial({ sizeAttenuation: false, depthTest: false, transparent: true, ...how });
  return patched(material, [["color_fragment", "", ROUND]], {});
}
