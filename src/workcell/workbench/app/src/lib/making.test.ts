import { expect, test } from "vitest";
import { Making } from "./making.svelte";

/** A command whose answer is given by hand. */
function command() {
  const sent: ((done: boolean) => void)[] = [];
  return { sent, press: () => new Promise<boolean>((done) => sent.push(done)) };
}

test("drawing the same kind again is another card, which sets up the view anew", () => {
  const making = new Making();
  making.draw("wall");
  const first = making.card;
  making.draw("wall");
  expect([making.card?.kind, making.card === first]).toEqual(["wall", false]);
});

test("a card sends its command once, and closes when it was done", async () => {
  const making = new Making();
  const { sent, press } = command();
  making.draw("curve");
  const made = making.make(press);
  expect([making.busy, await making.make(press), sent.length]).toEqual([true, false, 1]);
  sent[0]!(true);
  expect([await made, making.open, making.busy]).toEqual([true, false, false]);
});

test("a card whose command is refused stays, and can be tried again", async () => {
  const making = new Making();
  const { sent, press } = command();
  making.draw("curve");
  const made = making.make(press);
  sent[0]!(false);
  expect([await made, making.open, making.busy]).toEqual([false, true, false]);
  void making.make(press);
  expect(sent.length).toBe(2);
});

test("an answer does not close a card that was opened meanwhile", async () => {
  const making = new Making();
  const { sent, press } = command();
  making.draw("wall");
  const made = making.make(press);
  making.draw("wall");
  expect(making.busy).toBe(false);
  sent[0]!(true);
  expect([await made, making.open]).toEqual([false, true]);
});
