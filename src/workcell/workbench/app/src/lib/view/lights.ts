// What lights the view: the lamps of the cell, as `render` has them; without lamps a sun, a fill light and the sky.
import { Color, DirectionalLight, HemisphereLight, Object3D, Vector3 } from "three";
import type { Theme } from "../themes";

/** A lamp of the cell: where it is [m], its brightness (1 is normal), its colour, whether it lights from all sides. */
export interface Lamp {
  name: string;
  brightness: number;
  ambient: boolean;
  colour: readonly number[];
  position: readonly number[];
  /** The point that it shines at [m]; null for the middle of the cell. */
  aim: readonly number[] | null;
}

/** How bright the window shows the light: 1 is as it is. */
export interface Brightness {
  key: number;
  ambient: number;
}

const SUN = 2.1;
const FILL = 0.55;
const SKY = 1.55;
const LAMP = 0.8 * Math.PI; // a lamp of normal brightness, as in `render`
const MOST = 8; // lamps that are drawn; more would slow the view down

export class Lights extends Object3D {
  private sky = new HemisphereLight();
  private sun = new DirectionalLight("#ffffff", SUN);
  private fill = new DirectionalLight("#ffffff", FILL);
  private own: DirectionalLight[] = [];
  private lamps: readonly Lamp[] = [];
  private middle = new Vector3();
  private radius = 1;
  private level = 1;
  private bright: Brightness = { key: 1, ambient: 1 };

  constructor() {
    super();
    this.sky.position.set(0, 0, 1);
    this.fill.position.set(-3, 2, 1.2);
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.radius = 5;
    this.sun.shadow.normalBias = 0.012;
    this.add(this.sky, this.sun, this.sun.target, this.fill);
    this.children.forEach((one) => one.layers.enableAll()); // they light every pass
  }

  set castsShadow(on: boolean) {
    this.sun.castShadow = on;
  }

  theme(theme: Theme): void {
    this.sky.color.set(theme.sky);
    this.sky.groundColor.set(theme.ground);
    this.level = theme.light;
    this.shine();
  }

  /** The middle of the cell and the radius around it [m]. */
  surround(middle: Vector3, radius: number): void {
    this.middle.copy(middle);
    this.radius = radius;
    const shadow = this.sun.shadow.camera;
    shadow.left = shadow.bottom = -1.25 * radius;
    shadow.right = shadow.top = 1.25 * radius;
    shadow.near = radius;
    shadow.far = 6 * radius;
    shadow.updateProjectionMatrix();
    this.shine();
  }

  /** Light the view with these lamps, and with a sun if none of them has a direction. */
  show(lamps: readonly Lamp[], bright: Brightness): void {
    this.lamps = lamps;
    this.bright = bright;
    this.shine();
  }

  private shine(): void {
    const { key, ambient } = this.bright;
    const isEven = (lamp: Lamp) => lamp.ambient || this.way(lamp).length() < 1e-9; // as in `render`
    const even = this.lamps.filter(isEven);
    const directed = this.lamps.filter((lamp) => !isEven(lamp)).slice(0, MOST);
    const sky = even.length > 0 ? even.reduce((sum, lamp) => sum + lamp.brightness, 0) : 1;
    this.sky.intensity = SKY * this.level * ambient * sky;
    this.fill.intensity = directed.length > 0 ? 0 : FILL * this.level * key;
    while (this.own.length > Math.max(0, directed.length - 1)) this.own.pop()!.removeFromParent();
    while (this.own.length < directed.length - 1) {
      const light = new DirectionalLight();
      light.layers.enableAll();
      this.own.push(light);
      this.add(light, light.target);
    }
    const [first, ...others] = directed;
    if (first) this.place(this.sun, first);
    else {
      this.sun.color.set("#ffffff");
      this.sun.intensity = SUN * this.level * key;
      this.aim(this.sun, new Vector3(1.1, -1.6, 2.9));
    }
    others.forEach((lamp, i) => this.place(this.own[i]!, lamp));
  }

  /** The way to a lamp from the point that it shines at. */
  private way({ position, aim }: Lamp): Vector3 {
    return new Vector3().fromArray(position).sub(aim ? new Vector3().fromArray(aim) : this.middle);
  }

  private place(light: DirectionalLight, lamp: Lamp): void {
    const { brightness, colour } = lamp;
    light.color = new Color().setRGB(colour[0]!, colour[1]!, colour[2]!, "srgb");
    light.intensity = LAMP * brightness * this.bright.key;
    this.aim(light, this.way(lamp));
  }

  /** Let a light shine at the cell from a direction; its rays are parallel. */
  private aim(light: DirectionalLight, from: Vector3): void {
    light.position.copy(from).setLength(3 * this.radius).add(this.middle);
    light.target.position.copy(this.middle);
  }
}
