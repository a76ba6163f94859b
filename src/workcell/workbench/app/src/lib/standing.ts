// Where a line of the tree stands at the time that is shown: a robot by its base, anything else by its first body.
import type { Inspected } from "./inspected.svelte";
import type { Recording } from "./recording.svelte";
import { toSeven } from "./rigid";
import type { Scene } from "./scene.svelte";
import type { Time } from "./time.svelte";
import type { TreeNode } from "./tree";

interface Known {
  scene: Scene;
  time: Time;
  recording: Recording;
  inspected: Inspected;
}

/** The pose of the selected line; undefined if it has none, or until it is known. What has no body has a pose now alone. */
export function standing({ scene, time, recording, inspected }: Known, node: TreeNode | undefined): ArrayLike<number> | undefined {
  void [time.time, time.mode, time.playing, recording.chunks, scene.seen];
  const { bodies } = scene.picture;
  const body = node?.kind === "robot" ? node.bodies.find((id) => bodies.get(id)?.link === 0) : node?.bodies[0];
  if (body !== undefined) return recording.pose(body);
  const pose = time.live ? inspected.pose : undefined;
  return pose && toSeven(pose);
}
