// Whether WebGL runs on the processor; then antialiasing and shadows cost too much.

let known: boolean | undefined;

/** Ask once. The first script does so while the rest of the page is loaded: the first context of a page takes long. */
export function softwareRendered(): boolean {
  return (known ??= ask());
}

function ask(): boolean {
  const gl = document.createElement("canvas").getContext("webgl2");
  const names = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = gl && names ? String(gl.getParameter(names.UNMASKED_RENDERER_WEBGL)) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}
