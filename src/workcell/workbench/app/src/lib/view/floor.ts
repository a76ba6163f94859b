// The floor: a metre grid that fades out, and the shadow on it.
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  Object3D,
  PlaneGeometry,
  ShadowMaterial,
} from "three";

const PIECES = 24; // of each line, so that it can fade along its length
const MINOR = 4; // lines per metre

export class Floor extends Object3D {
  private lines: LineSegments<BufferGeometry, LineBasicMaterial>;
  private shadow: Mesh<PlaneGeometry, ShadowMaterial>;
  private radius = 0;
  private strong = new Color();
  private weak = new Color();

  constructor() {
    super();
    const material = new LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false });
    this.lines = new LineSegments(new BufferGeometry(), material);
    this.lines.renderOrder = -1;
    this.shadow = new Mesh(new PlaneGeometry(1, 1), new ShadowMaterial({ opacity: 0.2, depthWrite: false }));
    this.shadow.receiveShadow = true;
    this.shadow.renderOrder = -2;
    this.add(this.shadow, this.lines);
  }

  theme(strong: string, weak: string, shadow: number): void {
    this.strong.set(strong);
    this.weak.set(weak);
    this.shadow.material.opacity = shadow;
    const radius = this.radius;
    this.radius = 0;
    this.resize(radius || 3);
  }

  set gridVisible(on: boolean) {
    this.lines.visible = on;
  }

  /** Give the floor a radius in metres, rounded up to whole metres. */
  resize(radius: number): void {
    const whole = Math.min(60, Math.max(2, Math.ceil(radius)));
    if (whole === this.radius) return;
    this.radius = whole;
    this.shadow.scale.setScalar(4 * whole);
    const minor = whole > 12 ? 1 : MINOR;
    const points: number[] = [];
    const colours: number[] = [];
    const put = (x: number, y: number, colour: Color, alpha: number) => {
      points.push(x, y, 0);
      const fade = Math.max(0, 1 - Math.hypot(x, y) / whole);
      colours.push(colour.r, colour.g, colour.b, alpha * fade ** 1.2);
    };
    for (let k = -whole * minor; k <= whole * minor; k++) {
      const major = k % minor === 0;
      const at = k / minor;
      const half = Math.sqrt(Math.max(0, whole * whole - at * at));
      for (let i = 0; i < PIECES; i++) {
        const [a, b] = [-half + (2 * half * i) / PIECES, -half + (2 * half * (i + 1)) / PIECES];
        const [colour, alpha] = major ? [this.strong, 0.9] : ([this.weak, 0.55] as const);
        for (const end of [a, b]) put(at, end, colour, alpha);
        for (const end of [a, b]) put(end, at, colour, alpha);
      }
    }
    this.lines.geometry.dispose();
    this.lines.geometry = new BufferGeometry();
    this.lines.geometry.setAttribute("position", new BufferAttribute(Float32Array.from(points), 3));
    this.lines.geometry.setAttribute("color", new BufferAttribute(Float32Array.from(colours), 4));
  }
}
