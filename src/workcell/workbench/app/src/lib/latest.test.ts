import { expect, test } from "vitest";
import { Latest } from "./latest.svelte";

const settled = () => new Promise((done) => setTimeout(done));

test("questions are answered one at a time, and those in between are left out", async () => {
  const latest = new Latest<string>();
  const asked: string[] = [];
  const open: (() => void)[] = [];
  const question = (name: string) => () => {
    asked.push(name);
    return new Promise<string>((done) => open.push(() => done(name)));
  };
  latest.ask(question("a"));
  latest.ask(question("b"));
  latest.ask(question("c"));
  expect([asked, latest.busy]).toEqual([["a"], true]);
  open.shift()!();
  await settled();
  expect([asked, latest.value]).toEqual([["a", "c"], undefined]);
  open.shift()!();
  await settled();
  expect([latest.value, latest.busy]).toEqual(["c", false]);
});

test("a refusal has its sentence, and the next answer takes it away", async () => {
  const latest = new Latest<number>();
  latest.ask(() => Promise.reject(new Error("Nothing has moved.")));
  await settled();
  expect([latest.value, latest.reason]).toEqual([undefined, "Nothing has moved."]);
  latest.ask(() => Promise.resolve(1));
  await settled();
  expect([latest.value, latest.reason]).toEqual([1, ""]);
});

test("an answer that comes after clearing is not shown", async () => {
  const latest = new Latest<number>();
  latest.ask(() => Promise.resolve(1));
  latest.clear();
  await settled();
  expect([latest.value, latest.busy]).toEqual([undefined, false]);
});

test("while something new is asked all the time, answers are kept if they all count", async () => {
  const latest = new Latest<number>(true);
  for (const one of [1, 2]) latest.ask(() => (one === 1 ? Promise.resolve(1) : new Promise<number>(() => {})));
  await settled();
  expect([latest.value, latest.busy]).toEqual([1, true]);
});
