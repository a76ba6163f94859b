import type { IconName } from "../../components/icons";
import type { Bench } from "../bench.svelte";
import type { Picked } from "../picking.svelte";
import type { Action } from "./action";

/** What is done by hand in the view: picking, moving, attaching. */
export function handActions(bench: Bench): Action[] {
  const { picking } = bench;
  const pick = (what: Picked, label: string, key: string, icon: IconName): Action => ({
    id: `hand.pick-${what}`,
    group: "Edit",
    label,
    keys: [key],
    icon,
    on: () => picking.what === what,
    run: () => picking.use(what),
  });
  return [pick("body", "Pick things", "b", "object"), pick("face", "Pick faces", "v", "faces"), pick("edge", "Pick edges", "x", "corner")];
}
