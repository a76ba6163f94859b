// Making a program again from what was typed before it was removed.
import type { Orphan } from "./orphans";
import type { Programs } from "./programs.svelte";

/** Make a program again from its typed lines; if there is one of that name, they become its draft. */
export async function restore(programs: Programs, orphan: Orphan): Promise<void> {
  const { name, language, text } = orphan;
  if (programs.names.includes(name)) {
    await programs.show(name);
    if (programs.open !== name || !(await programs.keep())) return;
    programs.view = "text";
    programs.overtaken = true;
    programs.type(text);
    void programs.checkup.proofread();
  } else if (!(await programs.create(name, language, text))) return;
  programs.forget(orphan);
}
