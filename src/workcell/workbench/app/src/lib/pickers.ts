// Which robot is offered to pick up an object: the one that the user chose if it has a gripper, otherwise the nearest that has one.
import type { Picture } from "./picture";
import type { BodyInfo, RobotInfo } from "./protocol";

/**
 * @param part the body of the object.
 * @param chosen the id of the robot that the user chose; "" if none was.
 */
export function pickerOf({ robots, bodies }: Pick<Picture, "robots" | "bodies">, part: BodyInfo | undefined, chosen: string): RobotInfo | undefined {
  const hands = [...robots.values()].filter((robot) => robot.grips !== "");
  const own = hands.find((robot) => robot.id === chosen);
  if (own || !part || hands.length < 2) return own ?? hands[0];
  const bases = [...bodies.values()].filter((body) => body.link === 0);
  const far = (robot: RobotInfo): number => {
    const base = bases.find((body) => body.owner === robot.id);
    return base ? Math.hypot(...[0, 1, 2].map((i) => base.pose[i]! - part.pose[i]!)) : Infinity;
  };
  return hands.map((robot) => ({ robot, away: far(robot) })).sort((a, b) => a.away - b.away)[0]?.robot;
}
