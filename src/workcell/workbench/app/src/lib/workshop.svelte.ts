// The workshop: the tool that models something beside the view, what it shows there, and the grip that it puts there.
import type { Matrix4, Object3D, Vector3 } from "three";

export const TOOLS = ["sketch", "merge", "arm", "links"] as const;
export type ToolName = (typeof TOOLS)[number];

/** A handle in the view: where it is, along which of its own axes it moves, and who hears of it. */
export interface Grip {
  pose: Matrix4;
  axes: "xyz" | "z";
  /** It is dragged: show what would come of it. */
  moved: (at: Vector3) => void;
  /** It was let go. */
  done: (at: Vector3) => void;
  /** The drag was taken back. */
  cancelled: () => void;
}

export class Workshop {
  tool = $state<ToolName | "">("");
  /** The line of the tree that the tool was opened for; "" for something new. */
  subject = $state("");
  /** What the tool shows in the view; it belongs to the workshop, which frees it. */
  preview = $state.raw<Object3D>();
  grip = $state.raw<Grip>();
  /** What would be lost if the tool were closed, in a sentence; "" if nothing would. */
  unkept = $state("");
  /** Called with a title and a sentence when a tool is not opened. */
  onrefused: (title: string, sentence: string) => void = () => {};

  /** Open a tool, unless the work in another one would be lost. */
  open(tool: ToolName, subject = ""): void {
    if (this.unkept) return void this.onrefused("Not opened", `${this.unkept} Finish it or cancel it first.`);
    this.close();
    this.tool = tool;
    this.subject = subject;
  }

  close(): void {
    this.tool = "";
    this.subject = "";
    this.preview = undefined;
    this.grip = undefined;
    this.unkept = "";
  }
}
