import type { IconName } from "../icons";
import type { Bench } from "../bench.svelte";
import type { Picked } from "../picking.svelte";
import type { Action } from "./action";

/** What is done by hand in the view: picking, moving, attaching. */
export function handActions(bench: Bench): Action[] {
  const { attaching, moving, picking, preferences } = bench;
  const pick = (what: Picked, label: string, key: string, icon: IconName): Action => ({
    id: `hand.pick-${what}`,
    group: "Edit",
    part: "In the view",
    label,
    keys: [key],
    icon,
    on: () => picking.what === what,
    run: () => picking.use(what),
  });
  const handle = (kind: "move" | "turn", label: string, key: string): Action => ({
    id: `hand.${kind}`,
    group: "Edit",
    part: "In the view",
    label,
    keys: [key],
    icon: kind,
    on: () => moving.handle === kind,
    run: () => {
      bench.sizing.on = false;
      moving.use(kind);
    },
  });
  return [
    pick("body", "Pick things", "b", "object"),
    pick("face", "Pick faces", "v", "faces"),
    pick("edge", "Pick edges", "x", "corner"),
    handle("move", "Move with a handle", "q"),
    handle("turn", "Turn with a handle", "u"),
    {
      id: "hand.size",
      group: "Edit",
      part: "In the view",
      label: "Change sizes with grips",
      keys: ["Alt+R"],
      icon: "size",
      title: () => "Grips on the faces of a zone or object that is a box, cylinder or sphere",
      on: () => bench.sizing.on,
      run: () => {
        if (moving.handle !== "off") moving.use(moving.handle);
        bench.sizing.use();
      },
    },
    {
      id: "hand.own",
      group: "Edit",
      part: "In the view",
      label: "Handles along the thing's own axes",
      on: () => moving.own,
      run: () => (moving.own = !moving.own),
    },
    {
      id: "hand.snap",
      group: "Edit",
      part: "In the view",
      label: "Snap to grid, faces and edges",
      keys: ["j"],
      icon: "magnet",
      on: () => preferences.hands.snap,
      run: () => preferences.handle({ snap: !preferences.hands.snap }),
    },
    {
      id: "hand.attach",
      group: "Edit",
      part: "With the selection",
      label: "Attach face to face …",
      icon: "attach",
      on: () => attaching.joint !== undefined,
      run: () => bench.tried("Not attached", () => attaching.begin()),
    },
    {
      id: "hand.down",
      group: "Edit",
      part: "With the selection",
      label: "Put on what is below, or on the floor",
      keys: ["PageDown"],
      enabled: () => moving.node !== undefined,
      run: () => bench.tried("Not put down", () => moving.down((own, except) => bench.view?.fall(own, except) ?? 0)),
    },
    {
      id: "hand.clone",
      group: "Edit",
      part: "With the selection",
      label: "Clone the selection",
      keys: ["Ctrl+D"],
      title: () => "Copy the selection and its parts, and put the handle on the copy",
      enabled: () => bench.selection.ids.length > 1 || bench.inspected.copyable,
      run: () => bench.copy(true, () => (moving.handle = "move")),
    },
    {
      id: "hand.home",
      group: "Edit",
      part: "With the selection",
      label: "Bring home",
      keys: ["Shift+Home"],
      title: () => "Robots go to their initial joint values; objects go where they were attached, or to their initial places",
      enabled: () => !bench.pendant.locked && (bench.selection.robot !== undefined || bench.selection.things.some(({ kind }) => kind === "object")),
      command: () => (bench.selection.robot ? "home" : "send-home"),
      run: () => bench.tried("Not brought home", async () => (await import("../several")).homeAll(bench)),
    },
    {
      id: "hand.distance",
      group: "Edit",
      part: "With the selection",
      label: "Distance between the two selected things",
      icon: "distance",
      enabled: () => bench.selection.ids.length === 2,
      command: () => "clearance between",
      run: () => bench.tried("Not measured", async () => (await import("../several")).measure(bench)),
    },
  ];
}
