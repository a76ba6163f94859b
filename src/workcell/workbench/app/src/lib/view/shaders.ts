// What is added to three's shaders for drawings and sections.
import type { IUniform, Material } from "three";

/** A part of a fragment shader: the chunk of three, and what comes before and after it. */
export type Patch = readonly [chunk: string, before: string, after: string];

/** A material with parts added to its fragment shader. */
export function patched<T extends Material>(material: T, patches: readonly Patch[], uniforms: Record<string, IUniform>, defines: Record<string, string> = {}): T {
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms);
    for (const [chunk, before, after] of patches) {
      const include = `#include <${chunk}>`;
      shader.fragmentShader = shader.fragmentShader.replace(include, `${before}\n${include}\n${after}`);
    }
  };
  material.customProgramCacheKey = () => JSON.stringify(patches);
  Object.assign(material, { defines: { ...material.defines, ...defines } });
  return material;
}

/** Lines of unmarked bodies are white: they take the colour of the material. */
export const PENS: readonly Patch[] = [
  [
    "color_fragment",
    "vec3 plain = diffuseColor.rgb;",
    `#if defined( USE_COLOR ) || defined( USE_COLOR_ALPHA )
       diffuseColor.rgb = min(vColor.r, min(vColor.g, vColor.b)) > 0.998 ? plain : vColor.rgb;
     #endif`,
  ],
];

/** Surfaces as paper, or as nothing, with a line where a curved surface turns away from the eye. */
export const DRAWN: readonly Patch[] = [
  ["common", "", "uniform vec3 pen;\nuniform vec3 paper;"],
  [
    "opaque_fragment",
    `float facing = abs(dot(normalize(vNormal), isOrthographic ? vec3(0.0, 0.0, 1.0) : normalize(vViewPosition)));
     bool outline = facing < 2.6 * fwidth(facing);
     outgoingLight = outline ? pen : paper;
     #ifdef WIRES
       bool seen = outline;
     #endif`,
    "",
  ],
];

/** Where the plane of the section cuts a surface: a line. */
export const RIM: readonly Patch[] = [
  ["clipping_planes_pars_fragment", "", "#ifndef DRAWN\nuniform vec3 pen;\n#endif"],
  [
    "clipping_planes_fragment",
    `vec4 cut = clippingPlanes[0];
     float behind = cut.w - dot(vClipPosition, cut.xyz);
     bool rim = behind < 1.2 * fwidth(behind);`,
    "",
  ],
  [
    "opaque_fragment",
    `if (rim) outgoingLight = pen;
     #ifdef WIRES
       seen = seen || rim;
     #endif`,
    "",
  ],
];

/** What is seen of the inside of a solid: the cut through it, flat and hatched. `RIM` comes after it. */
export const CUT: readonly Patch[] = [
  [
    "opaque_fragment",
    `#ifdef DRAWN
       outgoingLight = paper;
     #else
       outgoingLight = 0.82 * diffuseColor.rgb;
     #endif
     if (mod(gl_FragCoord.x - gl_FragCoord.y, 9.0) < 1.0) outgoingLight = mix(outgoingLight, pen, 0.45);`,
    "",
  ],
];

/** Wires: what is no line is not drawn. */
export const ONLY_LINES: readonly Patch[] = [["dithering_fragment", "", "if (!seen) discard;"]];
