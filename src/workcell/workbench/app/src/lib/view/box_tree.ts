// A tree of boxes over the triangles or segments of a shape, so that a ray looks at few of them.
//
// They are put in order along a curve that fills space (Z-order); each few neighbours have a box, and each few boxes
// have a box around them, up to a single one. All loops are long and plain, so the work can be done a little at a time.
import type { Ray } from "three";

const FAN = 4; // triangles or segments in a lowest box, and boxes in each other one
const BITS = 10; // of each coordinate along the curve
const RADIX = 15; // bits that are sorted at a time
const PART = 1 << 15; // triangles or segments in one part of the work
const TINY = 1e-6; // of the size: as much wider is each box, because numbers are rounded

export class BoxTree {
  private stack: number[] = [];
  private least: Float64Array;

  private constructor(
    private order: Uint32Array,
    /** Six numbers for each box: its least and its greatest corner; the lowest boxes come first. */
    private levels: readonly Float32Array[],
  ) {
    const [a, b, c, d, e, f] = levels.at(-1)!;
    this.size = Math.hypot(d! - a!, e! - b!, f! - c!);
    this.least = Float64Array.of(a!, b!, c!);
  }

  /** The diagonal of the box around everything. */
  readonly size: number;

  /**
   * Make a tree in parts of a few milliseconds each.
   *
   * @param points three numbers for each point.
   * @param index the points of each triangle or segment in turn; by default all points in order.
   * @param corners how many points each has.
   */
  static *made(points: Float32Array, index: Uint32Array | undefined, corners: 2 | 3): Generator<void, BoxTree> {
    const count = (index ? index.length : points.length / 3) / corners;
    const bounds = yield* whole(points);
    const codes = new Uint32Array(count);
    const scale = [0, 1, 2].map((k) => ((1 << BITS) - 1) / Math.max(1e-30, corners * (bounds[k + 3]! - bounds[k]!)));
    for (let item = 0; item < count; item += 1) {
      if (item % PART === PART - 1) yield;
      let code = 0;
      for (let k = 0; k < 3; k += 1) {
        let sum = -corners * bounds[k]!;
        for (let corner = corners * item; corner < corners * (item + 1); corner += 1) sum += points[3 * (index ? index[corner]! : corner) + k]!;
        code |= spread(sum * scale[k]!) << k;
      }
      codes[item] = code;
    }
    const order = yield* sorted(codes);
    const levels: Float32Array[] = [yield* lowest(points, index, corners, order)];
    while (levels.at(-1)!.length > 6) levels.push(above(levels.at(-1)!));
    return new BoxTree(order, levels);
  }

  /**
   * Visit the triangles or segments that a ray may meet, near ones first.
   *
   * @param ray in the frame of the points, with a direction of length one.
   * @param room how far beside the ray they may be.
   * @param limit how far along the ray they may be.
   * @param visit gets the number of each; returns the limit from then on.
   */
  along({ origin, direction }: Ray, room: number, limit: number, visit: (item: number) => number): void {
    const { stack, levels, order } = this;
    const away = Math.hypot(origin.x - this.least[0]!, origin.y - this.least[1]!, origin.z - this.least[2]!);
    const wide = room + TINY * (this.size + away);
    const [ox, oy, oz] = [origin.x, origin.y, origin.z];
    const [ix, iy, iz] = [inverse(direction.x), inverse(direction.y), inverse(direction.z)];
    /** Where the ray enters a box; Infinity if it misses it. */
    const entry = (boxes: Float32Array, at: number): number => {
      const x1 = (boxes[at]! - wide - ox) * ix;
      const x2 = (boxes[at + 3]! + wide - ox) * ix;
      const y1 = (boxes[at + 1]! - wide - oy) * iy;
      const y2 = (boxes[at + 4]! + wide - oy) * iy;
      const z1 = (boxes[at + 2]! - wide - oz) * iz;
      const z2 = (boxes[at + 5]! + wide - oz) * iz;
      const enters = Math.max(0, Math.min(x1, x2), Math.min(y1, y2), Math.min(z1, z2));
      return enters <= Math.min(Math.max(x1, x2), Math.max(y1, y2), Math.max(z1, z2)) ? enters : Infinity;
    };
    stack.length = 0;
    const first = entry(levels.at(-1)!, 0);
    if (first <= limit) stack.push(first, levels.length - 1, 0);
    while (stack.length > 0) {
      const number = stack.pop()!;
      const level = stack.pop()!;
      const enters = stack.pop()!;
      if (enters > limit) continue;
      if (level === 0) {
        for (let at = FAN * number; at < Math.min(order.length, FAN * (number + 1)); at += 1) limit = visit(order[at]!);
        continue;
      }
      const boxes = levels[level - 1]!;
      const bottom = stack.length;
      for (let child = FAN * number; child < Math.min(boxes.length / 6, FAN * (number + 1)); child += 1) {
        const far = entry(boxes, 6 * child);
        if (far > limit || far === Infinity) continue;
        let at = stack.length; // the nearest comes last, and is taken first
        stack.push(far, level - 1, child);
        for (; at > bottom && stack[at - 3]! < far; at -= 3) {
          for (let k = 0; k < 3; k += 1) stack[at + k] = stack[at - 3 + k]!;
        }
        stack[at] = far;
        stack[at + 1] = level - 1;
        stack[at + 2] = child;
      }
    }
  }
}

function inverse(part: number): number {
  return 1 / (Math.abs(part) < 1e-12 ? 1e-12 : part);
}

/** The bits of a number with two free places after each. */
function spread(value: number): number {
  let x = Math.min((1 << BITS) - 1, Math.max(0, Math.trunc(value)));
  x = (x | (x << 16)) & 0x030000ff;
  x = (x | (x << 8)) & 0x0300f00f;
  x = (x | (x << 4)) & 0x030c30c3;
  return (x | (x << 2)) & 0x09249249;
}

/** The box around all points. */
function* whole(points: Float32Array): Generator<void, number[]> {
  const box = [Infinity, Infinity, Infinity, -Infinity, -Infinity, -Infinity];
  for (let at = 0; at < points.length; at += 3) {
    if (at % (3 * PART) === 0 && at > 0) yield;
    for (let k = 0; k < 3; k += 1) {
      const value = points[at + k]!;
      if (value < box[k]!) box[k] = value;
      if (value > box[k + 3]!) box[k + 3] = value;
    }
  }
  return box;
}

/** The places of codes in ascending order. */
function* sorted(codes: Uint32Array): Generator<void, Uint32Array> {
  const mask = (1 << RADIX) - 1;
  let order = Uint32Array.from(codes.keys());
  for (let shift = 0; shift < 3 * BITS; shift += RADIX) {
    const starts = new Uint32Array(mask + 2);
    for (const code of codes) starts[((code >>> shift) & mask) + 1]! += 1;
    for (let k = 0; k <= mask; k += 1) starts[k + 1]! += starts[k]!;
    yield;
    const next = new Uint32Array(order.length);
    for (let at = 0; at < order.length; at += 1) {
      if (at % PART === PART - 1) yield;
      const item = order[at]!;
      next[starts[(codes[item]! >>> shift) & mask]!++] = item;
    }
    order = next;
  }
  return order;
}

/** The boxes around the first few triangles or segments, around the next few, and so on. */
function* lowest(points: Float32Array, index: Uint32Array | undefined, corners: number, order: Uint32Array): Generator<void, Float32Array> {
  const boxes = new Float32Array(6 * Math.ceil(order.length / FAN));
  for (let at = 0; at < order.length; at += 1) {
    if (at % PART === PART - 1) yield;
    const box = 6 * Math.floor(at / FAN);
    const begins = at % FAN === 0;
    for (let corner = corners * order[at]!, k = 0; k < 3 * corners; k += 1) {
      const value = points[3 * (index ? index[corner + Math.floor(k / 3)]! : corner + Math.floor(k / 3)) + (k % 3)]!;
      const low = box + (k % 3);
      if ((begins && k < 3) || value < boxes[low]!) boxes[low] = value;
      if ((begins && k < 3) || value > boxes[low + 3]!) boxes[low + 3] = value;
    }
  }
  return boxes;
}

/** The boxes around each few of some boxes. */
function above(boxes: Float32Array): Float32Array {
  const out = new Float32Array(6 * Math.ceil(boxes.length / 6 / FAN));
  for (let at = 0; at < boxes.length; at += 6) {
    const to = 6 * Math.floor(at / 6 / FAN);
    const begins = (at / 6) % FAN === 0;
    for (let k = 0; k < 3; k += 1) {
      out[to + k] = begins ? boxes[at + k]! : Math.min(out[to + k]!, boxes[at + k]!);
      out[to + k + 3] = begins ? boxes[at + k + 3]! : Math.max(out[to + k + 3]!, boxes[at + k + 3]!);
    }
  }
  return out;
}
