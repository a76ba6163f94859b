import type { Bench } from "../bench.svelte";
import type { Action } from "./action";

export function workshopActions(bench: Bench): Action[] {
  const { workshop, selection } = bench;
  const object = () => (selection.node?.kind === "object" ? selection.id : "");
  return [
    {
      id: "workshop.sketch",
      group: "Model",
      label: "Sketch a part …",
      keys: ["Alt+K"],
      icon: "sketch",
      title: () => "Draw a polygon, and extrude or revolve it",
      run: () => workshop.open("sketch"),
    },
    {
      id: "workshop.edit-sketch",
      group: "Model",
      label: "Change the sketch of the selection …",
      enabled: () => object() !== "",
      run: () => workshop.open("sketch", object()),
    },
    {
      id: "workshop.merge",
      group: "Model",
      label: "Unite, subtract or intersect …",
      icon: "merge",
      command: () => "merge",
      run: () => workshop.open("merge", object()),
    },
    {
      id: "workshop.arm",
      group: "Model",
      label: "Build an arm …",
      icon: "robot",
      command: () => "draft robot",
      run: () => workshop.open("arm", selection.robot?.id ?? ""),
    },
    {
      id: "workshop.links",
      group: "Model",
      label: "Build a robot from links …",
      icon: "link",
      command: () => "assemble robot",
      run: () => workshop.open("links", object()),
    },
  ];
}
