import type { Bench } from "../bench.svelte";
import type { DrawnKind } from "../making.svelte";
import type { Action } from "./action";

/** What is made by hand in the view: targets from faces, edges, curves and paths; curves, patches and walls. */
export function makingActions(bench: Bench): Action[] {
  const { picking, selection, time, making } = bench;
  const chosen = () => (picking.asked ? "" : (picking.chosen?.kind ?? ""));
  const named = () => bench.picking.chosen !== undefined && picking.owner(picking.chosen!.body)?.kind === "object";
  const geometry = () => import("../from_geometry");
  const draw = (kind: DrawnKind, title: string): Action => ({
    id: `make.${kind}`,
    group: "Model",
    part: "Draw in the view",
    label: `Draw a ${kind} …`,
    title: () => title,
    run: () => making.draw(kind),
  });
  return [
    {
      id: "make.choose-spot",
      group: "Model",
      part: "Targets",
      label: "Choose a face or edge …",
      title: () => "Choose an object and one of its faces or edges in lists, to make targets from it",
      run: () => {
        picking.cancel();
        picking.listing = true;
      },
    },
    {
      id: "make.target-here",
      group: "Model",
      part: "Targets",
      label: "A target here",
      icon: "target",
      title: () => "Add a target where you clicked the face, or in its middle; its z axis points into the face",
      enabled: () => chosen() === "face" && time.live && !picking.work.busy,
      command: () => "add target",
      run: () => bench.tried("No target", async () => (await geometry()).targetHere(bench)),
    },
    {
      id: "make.along-edge",
      group: "Model",
      part: "Targets",
      label: "Targets along this edge …",
      enabled: () => chosen() === "edge" && named(),
      command: () => "targets along-edge",
      run: () => bench.tried("No targets", async () => (await geometry()).fromSpot(bench)),
    },
    {
      id: "make.over-face",
      group: "Model",
      part: "Targets",
      label: "Targets over this face …",
      enabled: () => chosen() === "face" && named(),
      command: () => "targets over-face",
      run: () => bench.tried("No targets", async () => (await geometry()).fromSpot(bench)),
    },
    {
      id: "make.along-curve",
      group: "Model",
      part: "Targets",
      label: "Targets along this curve …",
      enabled: () => selection.node?.kind === "curve",
      command: () => "targets along-curve",
      run: () => bench.tried("No targets", async () => (await geometry()).fromSelection(bench)),
    },
    {
      id: "make.mirror",
      group: "Model",
      part: "Targets",
      label: "Mirror image of this path …",
      enabled: () => selection.node?.kind === "path",
      command: () => "targets mirror",
      run: () => bench.tried("No targets", async () => (await geometry()).fromSelection(bench)),
    },
    {
      id: "make.grid",
      group: "Model",
      part: "Targets",
      label: "Grid of targets …",
      title: () => "Targets in rows and layers, on the picked face, on the selected thing or in the world",
      command: () => "targets grid",
      run: () => bench.tried("No targets", async () => (await geometry()).grid(bench)),
    },
    draw("curve", "Click points on faces or on the floor, or type them"),
    draw("patch", "A surface with control points over a rectangle that you draw with two clicks"),
    draw("wall", "A wall along a line that you draw with two clicks, as a zone or as a solid"),
  ];
}
