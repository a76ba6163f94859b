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

const MINOR = 4; // lines per metre
const NEAR = 0.7; // of the radius: where those between the metres end

export class Floor extends Object3D {
  private lines: LineSegments<BufferGeometry, LineBasicMaterial>;
  private shadow: Mesh<PlaneGeometry, ShadowMaterial>;
  private radius = 0;
  private strong = new Color();
  private weak = new Color();

  constructor() {
    super();
    const material = new LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false });
    material.onBeforeCompile = (shader) => {
      // Each line is one segment and fades with the distance from the middle; many short ones would take long to draw.
      shader.vertexShader = `attribute vec2 place;\nvarying vec2 where;\n${shader.vertexShader}`.replace(
        "#include <begin_vertex>",
        "#include <begin_vertex>\nwhere = place;",
      );
      shader.fragmentShader = `varying vec2 where;\n${shader.fragmentShader}`.replace(
        "#include <color_fragment>",
        "#include <color_fragment>\ndiffuseColor.a *= pow(max(0.0, 1.0 - length(where)), 1.2);",
      );
    };
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

  /** Whether shadows fall on the floor; without them its plane is not drawn, which covers the whole view. */
  set shadowed(on: boolean) {
    this.shadow.visible = on;
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
    const places: number[] = [];
    const colours: number[] = [];
    for (let k = -whole * minor; k <= whole * minor; k++) {
      const major = k % minor === 0;
      const at = k / minor;
      const reach = major ? whole : NEAR * whole;
      if (Math.abs(at) >= reach) continue;
      const half = Math.sqrt(reach * reach - at * at);
      const [colour, alpha] = major ? [this.strong, 0.9] : ([this.weak, 0.55] as const);
      for (const [x, y] of [[at, -half], [at, half], [-half, at], [half, at]] as const) {
        points.push(x, y, 0);
        places.push(x / reach, y / reach); // 1 is where the line has faded
        colours.push(colour.r, colour.g, colour.b, alpha);
      }
    }
    this.lines.geometry.dispose();
    this.lines.geometry = new BufferGeometry();
    this.lines.geometry.setAttribute("position", new BufferAttribute(Float32Array.from(points), 3));
    this.lines.geometry.setAttribute("place", new BufferAttribute(Float32Array.from(places), 2));
    this.lines.geometry.setAttribute("color", new BufferAttribute(Float32Array.from(colours), 4));
  }
}
