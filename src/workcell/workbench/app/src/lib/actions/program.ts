import type { Bench } from "../bench.svelte";
import { quoted } from "../text";
import type { Action } from "./action";

export function programActions(bench: Bench): Action[] {
  const { log, programs } = bench;
  const open = () => programs.open !== "";
  const paused = () => programs.paused;
  const back = () => !paused() || !!programs.info?.back;
  const steps = (id: string, label: string, key: string, icon: Action["icon"], line: string, more: Partial<Action> = {}): Action => ({
    id: `program.${id}`,
    group: "Program",
    label,
    keys: [key],
    ...(icon ? { icon } : {}),
    enabled: paused,
    command: () => line,
    run: () => void log.press(line),
    ...more,
  });
  const name = (id: "rename" | "copy", label: string): Action => ({
    id: `program.${id}`,
    group: "Program",
    label,
    enabled: open,
    run: () => {
      bench.layout.show("programs");
      programs.naming = id;
    },
  });
  const state = (id: string, label: string, line: string, effect: string, differs = () => true): Action => ({
    id: `program.${id}`,
    group: "Program",
    part: "State",
    label,
    title: () => `${label}: ${programs.runs.busy || (differs() ? effect : "it is the initial state")}`,
    enabled: () => !programs.runs.busy && differs(),
    command: () => line,
    run: () => void log.press(line),
  });
  return [
    {
      id: "program.run",
      group: "Program",
      label: "Run the program",
      keys: ["F9"],
      icon: "play",
      enabled: () => open() && !paused(),
      command: () => programs.runs.start("run"),
      run: () => bench.attempt("Not run", () => programs.runs.run()),
    },
    {
      id: "program.debug",
      group: "Program",
      label: "Run step by step",
      keys: ["Shift+F9"],
      icon: "debug",
      enabled: () => open() && !paused(),
      command: () => programs.runs.start("debug"),
      run: () => bench.attempt("Not run", () => programs.runs.debug()),
    },
    {
      id: "program.pause",
      group: "Program",
      label: "Pause the run",
      keys: ["F6"],
      icon: "pause",
      enabled: () => programs.info?.state === "goes" || bench.time.playing,
      command: () => "pause",
      run: () => bench.attempt("Not paused", () => programs.runs.pause()),
    },
    steps("resume", "Resume the run", "F8", "resume", "resume"),
    steps("into", "Step into", "F11", "into", "step-into"),
    steps("over", "Step over", "F10", "over", "step-over"),
    steps("out", "Step out", "Shift+F11", "out", "step-out"),
    steps("back", "Step back", "Ctrl+F10", "undo", "step-back", {
      enabled: () => paused() && back(),
      title: () => (back() ? "Step back" : "Step back: the run has no earlier pause"),
    }),
    steps("stop", "Stop the run", "Shift+F8", "stop", "stop-run"),
    {
      id: "program.check",
      group: "Program",
      label: "Check the program",
      keys: ["F7"],
      icon: "check",
      enabled: open,
      command: () => `check program ${programs.open}`,
      run: () => bench.attempt("Not checked", () => programs.checkup.check()),
    },
    name("rename", "Rename the program …"),
    name("copy", "Copy the program …"),
    {
      id: "program.remove",
      group: "Program",
      label: "Remove the program",
      enabled: open,
      command: () => `remove program:${quoted(programs.open)}`,
      run: () => void programs.remove(),
    },
    {
      id: "program.keep",
      group: "Program",
      label: "Save the typed lines",
      icon: "keep",
      title: () => "Save the typed lines (Ctrl S)",
      enabled: () => programs.draft !== undefined,
      run: () => bench.attempt("Not saved", async () => void (await programs.keep())),
    },
    state("keep-state", "Make the present state the initial one", "keep state", "runs start from it", () => programs.runs.elsewhere.length > 0),
    state("reset", "Reset to the initial state", "reset", "the clock returns to zero and the recording is cleared"),
  ];
}
