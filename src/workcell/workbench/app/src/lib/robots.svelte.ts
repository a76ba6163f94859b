// The robot that a panel is about: the selected one, otherwise the one chosen in the panel.
import type { RobotInfo } from "./protocol";
import type { Scene } from "./scene.svelte";
import type { Selection } from "./selection.svelte";

export class RobotChoice {
  /** The id of the robot that the user chose in the panel; "" if none was. */
  chosen = $state("");

  /** @param first which robot it is before one is selected or chosen. */
  constructor(
    private scene: Scene,
    private selection: Selection,
    private first: (all: readonly RobotInfo[]) => RobotInfo | undefined = (all) => all[0],
  ) {}

  /** The robots of the cell. */
  get all(): RobotInfo[] {
    void this.scene.seen;
    return [...this.scene.picture.robots.values()];
  }

  get robot(): RobotInfo | undefined {
    const all = this.all;
    return this.selection.robot ?? all.find((robot) => robot.id === this.chosen) ?? this.first(all);
  }

  choose(id: string): void {
    this.chosen = id;
    if (this.selection.robot) this.selection.select(id);
  }
}
