import type { IconName } from "../../components/icons";
import type { Bench } from "../bench.svelte";
import type { Picked } from "../picking.svelte";
import type { Action } from "./action";

/** What is done by hand in the view: picking, moving, attaching. */
export function handActions(bench: Bench): Action[] {
  const { moving, picking, preferences } = bench;
  const pick = (what: Picked, label: string, key: string, icon: IconName): Action => ({
    id: `hand.pick-${what}`,
    group: "Edit",
    label,
    keys: [key],
    icon,
    on: () => picking.what === what,
    run: () => picking.use(what),
  });
  const handle = (kind: "move" | "turn", label: string, key: string): Action => ({
    id: `hand.${kind}`,
    group: "Edit",
    label,
    keys: [key],
    icon: kind,
    on: () => moving.handle === kind,
    run: () => moving.use(kind),
  });
  return [
    pick("body", "Pick things", "b", "object"),
    pick("face", "Pick faces", "v", "faces"),
    pick("edge", "Pick edges", "x", "corner"),
    handle("move", "Move by a handle", "q"),
    handle("turn", "Turn by a handle", "u"),
    {
      id: "hand.own",
      group: "Edit",
      label: "Handles along the thing's own axes",
      on: () => moving.own,
      run: () => (moving.own = !moving.own),
    },
    {
      id: "hand.snap",
      group: "Edit",
      label: "Snap to grid, faces and edges",
      keys: ["j"],
      icon: "magnet",
      on: () => preferences.hands.snap,
      run: () => preferences.handle({ snap: !preferences.hands.snap }),
    },
  ];
}
