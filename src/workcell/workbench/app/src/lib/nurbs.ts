// Points of NURBS curves and patches, for drawing them while a control point is dragged. The server has the exact ones.

export type Triple = readonly [number, number, number];

/** A curve (one row) or a patch: control points [m], weights, knots and degrees, as `control-points` gives them. */
export interface Form {
  control: readonly (readonly Triple[])[];
  weights: readonly (readonly number[])[];
  knots: readonly (readonly number[])[];
  degrees: readonly number[];
}

type Four = [number, number, number, number];

const SPAN = 12; // points in each span of knots
const ACROSS = 4; // lines in each span of a patch

/** The point at a parameter, of control points in homogeneous coordinates (de Boor). */
function boor(points: readonly Four[], knots: readonly number[], degree: number, t: number): Four {
  let k = degree;
  while (k < points.length - 1 && t >= knots[k + 1]!) k += 1;
  const d = Array.from({ length: degree + 1 }, (_, j): Four => [...points[j + k - degree]!]);
  for (let r = 1; r <= degree; r += 1) {
    for (let j = degree; j >= r; j -= 1) {
      const i = j + k - degree;
      const wide = knots[i + degree - r + 1]! - knots[i]!;
      const part = wide === 0 ? 0 : (t - knots[i]!) / wide;
      for (let c = 0; c < 4; c += 1) d[j]![c] = (1 - part) * d[j - 1]![c]! + part * d[j]![c]!;
    }
  }
  return d[degree]!;
}

const weighted = ([x, y, z]: Triple, w: number): Four => [x * w, y * w, z * w, w];
const flat = ([x, y, z, w]: Four): Triple => [x / w, y / w, z / w];

/** Parameters spread over the spans of a row of knots, `each` in one span. */
export function parameters(knots: readonly number[], degree: number, each: number): number[] {
  const breaks = [...new Set(knots.slice(degree, knots.length - degree))];
  return breaks.flatMap((from, i) => {
    const to = breaks[i + 1];
    return to === undefined ? [from] : Array.from({ length: each }, (_, k) => from + ((to - from) * k) / each);
  });
}

export function curvePoint(form: Form, t: number): Triple {
  return flat(boor(form.control[0]!.map((point, i) => weighted(point, form.weights[0]![i]!)), form.knots[0]!, form.degrees[0]!, t));
}

export function patchPoint(form: Form, u: number, v: number): Triple {
  const [first, second] = form.knots;
  const rows = form.control.map((row, i) => boor(row.map((point, k) => weighted(point, form.weights[i]![k]!)), second!, form.degrees[1]!, v));
  return flat(boor(rows, first!, form.degrees[0]!, u));
}

/** The polylines that show a form: the curve itself, or lines of constant u and v. */
export function linesOf(form: Form): Triple[][] {
  const [u, v] = form.knots.map((knots, i) => ({ fine: parameters(knots, form.degrees[i]!, SPAN), coarse: parameters(knots, form.degrees[i]!, ACROSS) }));
  if (!v) return [u!.fine.map((t) => curvePoint(form, t))];
  return [...u!.coarse.map((a) => v.fine.map((b) => patchPoint(form, a, b))), ...v.coarse.map((b) => u!.fine.map((a) => patchPoint(form, a, b)))];
}

/** The form with another place for a control point. */
export function withControl<T extends Form>(form: T, row: number, column: number, to: Triple): T {
  return { ...form, control: form.control.map((points, i) => (i === row ? points.map((old, k) => (k === column ? to : old)) : points)) };
}
