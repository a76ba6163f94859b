import type { Bench } from "../bench.svelte";
import type { Action } from "./action";

const KEYS = [
  ["ArrowLeft", "ArrowRight"],
  ["ArrowDown", "ArrowUp"],
  ["PageDown", "PageUp"],
] as const;

/** The keys of an axis of the pendant, back and forward: along x, y and z (0 to 2), or about them (3 to 5). */
export const jogKeys = (axis: number): readonly [string, string] => {
  const [back, forward] = KEYS[axis % 3]!;
  return axis < 3 ? [back, forward] : [`Shift+${back}`, `Shift+${forward}`];
};

/** The keys of the pendant: they jog as its buttons do. */
export function jogActions({ pendant }: Bench): Action[] {
  const { jogging } = pendant;
  const jog = (id: string, label: string, keys: readonly string[], axis: () => number, sign: 1 | -1, enabled: () => boolean): Action => ({
    id: `jog.${id}`,
    group: "Pendant",
    label,
    keys,
    where: "pendant",
    hidden: true,
    enabled,
    held: { begin: () => void jogging.hold(axis(), sign), end: () => jogging.release() },
    run: () => jogging.click(axis(), sign),
  });
  return [
    ...["along x", "along y", "along z", "about x", "about y", "about z"].flatMap((axis, i) =>
      ([-1, 1] as const).map((sign, k) => jog(`${i}${sign}`, `Jog ${axis}, ${sign < 0 ? "back" : "forward"}`, [jogKeys(i)[k]!], () => i, sign, () => pendant.robot !== undefined && pendant.frame !== "joints")),
    ),
    ...Array.from({ length: 9 }, (_, i): Action => ({
      id: `jog.choose-${i + 1}`,
      group: "Pendant",
      label: `Choose joint or axis ${i + 1}`,
      keys: [String(i + 1)],
      where: "pendant",
      hidden: true,
      enabled: () => i < pendant.axes.length,
      run: () => (pendant.axis = i),
    })),
    jog("back", "Jog the chosen joint or axis, back", ["-"], () => pendant.chosen, -1, () => pendant.robot !== undefined),
    jog("forward", "Jog the chosen joint or axis, forward", ["+", "="], () => pendant.chosen, 1, () => pendant.robot !== undefined),
  ];
}
