import { expect, test } from "vitest";
import { afterKey } from "./plot_keys";

test("arrows seek by a hundredth of what is shown, and what is shown follows the playhead", () => {
  expect(afterKey("ArrowRight", { time: 4, span: undefined }, [0, 10])).toEqual({ time: 4.1, span: undefined });
  expect(afterKey("PageDown", { time: 0.5, span: undefined }, [0, 10])).toEqual({ time: 0, span: undefined });
  expect(afterKey("PageUp", { time: 4, span: [2, 4] }, [0, 10])).toEqual({ time: 4.2, span: [2.2, 4.2] });
  expect(afterKey("End", { time: 3, span: [2, 4] }, [0, 10])).toEqual({ time: 4, span: [2, 4] });
});

test("plus and minus zoom about the playhead, in the bounds of the recording, and 0 shows everything", () => {
  expect(afterKey("+", { time: 2, span: undefined }, [0, 10])).toEqual({ time: 2, span: [1, 6] });
  expect(afterKey("+", { time: 9, span: [0, 4] }, [0, 10])).toEqual({ time: 9, span: [1, 3] }); // the playhead is not seen
  expect(afterKey("-", { time: 1, span: [0, 2] }, [0, 10])).toEqual({ time: 1, span: [0, 4] });
  expect(afterKey("-", { time: 1, span: [0, 6] }, [0, 10])).toEqual({ time: 1, span: undefined });
  expect(afterKey("0", { time: 1, span: [0, 6] }, [0, 10])).toEqual({ time: 1, span: undefined });
  expect(afterKey("x", { time: 1, span: [0, 6] }, [0, 10])).toBeUndefined();
});
