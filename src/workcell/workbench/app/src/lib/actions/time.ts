import type { Bench } from "../bench.svelte";
import type { Action } from "./action";

const STEP = 0.1; // s

export function timeActions(bench: Bench): Action[] {
  const { time } = bench;
  const recorded = () => time.duration > 0;
  return [
    {
      id: "time.play",
      group: "Time",
      label: "Play or pause",
      keys: ["Space"],
      icon: "play",
      enabled: () => recorded() || !bench.programs.paused, // otherwise the server would have to simulate first
      on: () => time.playing,
      run: () => bench.attempt("Cannot play", () => bench.recording.togglePlay()),
    },
    {
      id: "time.now",
      group: "Time",
      label: "Show the cell as it is now",
      keys: ["n"],
      icon: "now",
      on: () => time.mode === "now",
      run: () => time.toNow(),
    },
    {
      id: "time.back",
      group: "Time",
      label: "Back 0.1 s",
      keys: ["ArrowLeft"],
      enabled: recorded,
      run: () => time.seek(time.time - STEP),
    },
    {
      id: "time.forth",
      group: "Time",
      label: "Forward 0.1 s",
      keys: ["ArrowRight"],
      enabled: recorded,
      run: () => time.seek(time.time + STEP),
    },
    {
      id: "time.start",
      group: "Time",
      label: "To the start",
      keys: ["Home"],
      icon: "first",
      enabled: recorded,
      run: () => time.seek(0),
    },
    {
      id: "time.end",
      group: "Time",
      label: "To the end",
      keys: ["End"],
      icon: "last",
      enabled: recorded,
      run: () => time.toEnd(),
    },
    {
      id: "time.repeat",
      group: "Time",
      label: "Repeat",
      icon: "loop",
      on: () => time.loop,
      run: () => (time.loop = !time.loop),
    },
    { id: "time.slower", group: "Time", label: "Slower", keys: ["<"], run: () => time.faster(-1) },
    { id: "time.faster", group: "Time", label: "Faster", keys: [">"], run: () => time.faster(1) },
  ];
}
