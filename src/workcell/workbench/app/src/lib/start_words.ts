// Where a run started, in the words of the panel: the console has an option for what is chosen there.

/** The answer of a run that was pressed; it names the field *Starts from* instead of the option. */
export function startWords(text: string): string {
  return text.replace(
    /`(undo|stop-run)`, then (?:run|start) with `--from-present`/,
    (_, command) => `${command === "undo" ? "undo" : "stop"} the run, then choose “the present state” in the field “Starts from”`,
  );
}
