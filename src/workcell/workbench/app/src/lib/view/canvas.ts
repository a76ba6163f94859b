// The canvas of the view. Where WebGL runs on the processor, antialiasing and shadows cost too much. Only a context tells
// whether it does, and a context takes long to make: the first one that was asked is also the first that draws, if it can.

const PLAIN: WebGLContextAttributes = { alpha: true, stencil: true, antialias: false, powerPreference: "high-performance" };

let first: { canvas: HTMLCanvasElement; context: WebGL2RenderingContext | null } | undefined;
let known: boolean | undefined;

/** Whether WebGL runs on the processor. The first script asks while the rest of the page is loaded. */
export function softwareRendered(): boolean {
  return (known ??= ask());
}

function ask(): boolean {
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("webgl2", PLAIN);
  first = { canvas, context };
  const names = context?.getExtension("WEBGL_debug_renderer_info");
  const name = context && names ? String(context.getParameter(names.UNMASKED_RENDERER_WEBGL)) : "";
  return /swiftshader|llvmpipe|software/i.test(name);
}

/** A canvas, with a context if there is one that nobody has used. @param smooth whether edges shall be antialiased. */
export function newCanvas(smooth: boolean): { canvas: HTMLCanvasElement; context?: WebGL2RenderingContext } {
  const { canvas, context } = first ?? {};
  first = undefined;
  if (canvas && context && !smooth) return { canvas, context };
  context?.getExtension("WEBGL_lose_context")?.loseContext();
  return { canvas: document.createElement("canvas") };
}

/** The attributes of a context. */
export function contextFor(smooth: boolean): WebGLContextAttributes {
  return { ...PLAIN, antialias: smooth };
}
