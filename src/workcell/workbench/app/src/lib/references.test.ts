import { expect, test } from "vitest";
import type { Connection } from "./connection.svelte";
import { Log } from "./log.svelte";
import { referenceOf, shortened } from "./references";
import { Scene } from "./scene.svelte";

const node = (kind: string, name: string, note = "") => ({ id: `${kind}1`, kind, name, note }) as Parameters<typeof referenceOf>[1];

test("every name is sent with its kind", () => {
  const scene = new Scene(() => {});
  scene.picture.robots.set("robot1", { name: "belt", mechanism: true } as never);
  expect(referenceOf(scene, node("object", "gate"))).toBe("object:gate");
  expect(referenceOf(scene, node("view", "the door"))).toBe('view:"the door"');
  expect(referenceOf(scene, node("program", "gate"))).toBe("program:gate");
  expect(referenceOf(scene, node("robot", "belt"))).toBe("mechanism:belt");
  expect(referenceOf(scene, node("loose", "gate", "block"))).toBe("block:gate");
});

test("a line is shown with the names alone where they are the only ones", () => {
  const only = (name: string) => name !== "gate";
  expect(shortened("place object:gate at 1,2,3 taking robot:Puma --hanging", only)).toBe("place object:gate at 1,2,3 taking Puma --hanging");
  expect(shortened('remove object:"the gate" with view:top --deep', only)).toBe('remove "the gate" with top --deep');
  expect(shortened('edit program:job "pick object:box"', only)).toBe('edit job "pick object:box"');
  for (const line of ["detach robot:Puma/link1", "modify block:box shape box 1 2 3", "save-recording a.rec"]) expect(shortened(line, only)).toBe(line);
});

test("of a text of several lines in a line the first is shown", () => {
  expect(shortened('set-step job 3 text "pick object:box%0Await 1%0Aend" after "100%25%0D%0A" "one%22"', () => true)).toBe(
    'set-step job 3 text "pick object:box …" after "100%25 …" "one%22"',
  );
});

test("a pressed line is sent as it is and shown shortened; a typed one is shown as it is", async () => {
  const sent: unknown[] = [];
  const ask = (message: { line?: string; lines?: string[] }) => (sent.push(message.line ?? message.lines), Promise.resolve({ text: "", value: { texts: [], refused: [] } }));
  const log = new Log({ ask } as unknown as Connection, () => {}, (line) => shortened(line, () => true));
  await log.press("remove object:box");
  await log.pressAll(["home robot:A", "home robot:B"]);
  await log.type("remove object:box");
  expect(sent).toEqual(["remove object:box", ["home robot:A", "home robot:B"], "remove object:box"]);
  expect(log.entries.map((one) => one.line)).toEqual(["remove box", "group", "home A", "home B", "end", "remove object:box"]);
});
