import { expect, test } from "vitest";
import { pickerOf } from "./pickers";
import type { BodyInfo, RobotInfo } from "./protocol";

const robot = (id: string, grips: string) => ({ id, name: id, grips }) as RobotInfo;
const body = (id: string, owner: string, link: number, x: number) => ({ id, owner, link, pose: [x, 0, 0, 1, 0, 0, 0] }) as unknown as BodyInfo;

const robots = new Map([robot("belt", ""), robot("far", "fingers"), robot("near", "surface")].map((one) => [one.id, one]));
const bodies = new Map([body("b0", "belt", 0, 1), body("f0", "far", 0, 5), body("n0", "near", 0, 2), body("n1", "near", 1, 9)].map((one) => [one.id, one]));
const part = body("brick", "brick", -1, 1);

test("the nearest robot with a gripper picks, unless the user chose another one that has a gripper", () => {
  const name = (chosen: string) => pickerOf({ robots, bodies }, part, chosen)?.name;
  expect([name(""), name("far"), name("belt")]).toEqual(["near", "far", "near"]);
});

test("no robot is offered if none has a gripper", () => {
  expect(pickerOf({ robots: new Map([["belt", robots.get("belt")!]]), bodies }, part, "belt")).toBe(undefined);
});
