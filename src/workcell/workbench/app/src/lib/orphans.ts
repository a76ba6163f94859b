// Lines of programs that were typed and cannot be kept as they are.

/** Lines that were typed and whose program was removed before they were kept. */
export interface Orphan {
  name: string;
  language: string;
  text: string;
}

export const OVERTAKEN = "Somebody else changed this program. Use their lines or keep yours first.";
