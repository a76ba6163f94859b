// The sheet that a sketch is drawn on: which part of the plane is seen, and where its points are on the screen.
import { type Circle, dimensions, distance, type Point, type Polygon } from "./loops";
import { gridStep } from "./snapping";

const CLOSEST = 2e5; // pixels per metre
const FARTHEST = 20;
const MARK = 9; // pixels, the side of the mark of a right angle
const LABEL = [30, 12] as const; // pixels that the middle of a label keeps from the border, across and down

/** A coordinate of a label [pixels], moved into the sheet if the edge `of` which it speaks is there. */
const whole = (at: number, of: number, border: number, size: number) => (of < 0 || of > size ? at : Math.min(Math.max(at, border), size - border));

export class Sheet {
  width = $state(600);
  height = $state(400);
  /** Pixels per metre, and the point in the middle. */
  scale = $state(2000);
  centre = $state.raw<Point>([0.08, 0.06]);

  left = ([x]: Point): number => this.width / 2 + (x - this.centre[0]) * this.scale;
  top = ([, y]: Point): number => this.height / 2 - (y - this.centre[1]) * this.scale;

  /** The point of the plane at a place of the screen. */
  plane(x: number, y: number): Point {
    return [this.centre[0] + (x - this.width / 2) / this.scale, this.centre[1] - (y - this.height / 2) / this.scale];
  }

  line(points: readonly Point[]): string {
    return points.map((p) => `${this.left(p).toFixed(2)},${this.top(p).toFixed(2)}`).join(" ");
  }

  /** Change the scale; what is at a place of the screen stays there. */
  zoom(factor: number, x = this.width / 2, y = this.height / 2): void {
    const under = this.plane(x, y);
    this.scale = Math.min(CLOSEST, Math.max(FARTHEST, this.scale * factor));
    this.centre = [under[0] - (x - this.width / 2) / this.scale, under[1] + (y - this.height / 2) / this.scale];
  }

  /** Show all of some points, and at least `least` [m]. */
  fit(points: readonly Point[], least: number): void {
    const [xs, ys] = [points.map((p) => p[0]), points.map((p) => p[1])];
    const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const room = Math.max(x1 - x0, ((y1 - y0) * this.width) / this.height, least);
    this.centre = [(x0 + x1) / 2, (y0 + y1) / 2];
    this.scale = Math.min(CLOSEST, (0.68 * this.width) / room);
  }

  /** The step of the grid [m], and its lines across one axis; every fifth is strong. */
  step(size: number): number {
    return gridStep(this.scale, size, 12);
  }

  rulings(axis: 0 | 1, step: number): { at: number; strong: boolean }[] {
    const half = (axis === 0 ? this.width : this.height) / 2 / this.scale;
    const [first, last] = [Math.ceil((this.centre[axis] - half) / step), Math.floor((this.centre[axis] + half) / step)];
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => ({ at: (first + i) * step, strong: (first + i) % 5 === 0 }));
  }

  /** Where the label of an edge is: beside its middle, outside the loop, and whole if the middle can be seen. */
  beside(loop: Polygon, i: number): { x: number; y: number } {
    const corners = loop.points.map((p) => [this.left(p), this.top(p)] as const);
    const at = dimensions(loop)[i]!.at;
    const [a, b] = [corners[i]!, corners[(i + 1) % corners.length]!];
    const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
    const long = Math.hypot(dx, dy) || 1;
    const area = corners.reduce((sum, p, k) => {
      const q = corners[(k + 1) % corners.length]!;
      return sum + p[0] * q[1] - q[0] * p[1];
    }, 0);
    const way = area > 0 ? 1 : -1;
    return {
      x: whole(this.left(at) + (way * 36 * dy) / long, this.left(at), LABEL[0], this.width),
      y: whole(this.top(at) - (way * 18 * dx) / long, this.top(at), LABEL[1], this.height),
    };
  }

  /** Where the label of a circle's radius is: outside the circle, at the upper right, and whole if that point can be seen. */
  around({ centre, radius }: Circle): { x: number; y: number } {
    const side = radius * Math.SQRT1_2;
    const at: Point = [centre[0] + side, centre[1] + side];
    return {
      x: whole(this.left(at) + 34, this.left(at), LABEL[0], this.width),
      y: whole(this.top(at) - 14, this.top(at), LABEL[1], this.height),
    };
  }

  /** The small square in the angle at a corner. */
  square(before: Point, corner: Point, after: Point): string {
    const unit = (p: Point) => {
      const [dx, dy] = [this.left(p) - this.left(corner), this.top(p) - this.top(corner)];
      const long = Math.hypot(dx, dy) || 1;
      return [(MARK * dx) / long, (MARK * dy) / long] as const;
    };
    const [u, v] = [unit(before), unit(after)];
    const [x, y] = [this.left(corner), this.top(corner)];
    return `${x + u[0]},${y + u[1]} ${x + u[0] + v[0]},${y + u[1] + v[1]} ${x + v[0]},${y + v[1]}`;
  }

  /** The squares in all right angles of a polygon. */
  squares({ points, via }: Polygon): string[] {
    return points.flatMap((corner, i) => {
      const k = (i + points.length - 1) % points.length;
      const [before, after] = [points[k]!, points[(i + 1) % points.length]!];
      const dot = (before[0] - corner[0]) * (after[0] - corner[0]) + (before[1] - corner[1]) * (after[1] - corner[1]);
      const right = !via[k] && !via[i] && Math.abs(dot) < 1e-9 * distance(before, corner) * distance(corner, after);
      return right ? [this.square(before, corner, after)] : [];
    });
  }
}
