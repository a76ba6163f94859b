// The handle on the selected things. Dragging it shows them elsewhere; letting go puts them there once.
import { BufferAttribute, BufferGeometry, Group, type Matrix4, Points, Vector3 } from "three";
import type { Bench } from "../../bench.svelte";
import { type Drag, snapMove, snapTurn, tipOf, toMicrometres } from "../../snapping";
import type { Theme } from "../../themes";
import { describe } from "../../typed_hand.svelte";
import { dotMaterial } from "../dots";
import { Gizmo, type Grip, inWindow } from "../gizmo";
import type { Layer } from "../layer";
import type { Pane } from "../pane";
import type { Stage } from "../stage";
import { extentOf, flatsOf, under } from "../under";
import type { Bodies } from "../bodies";
import type { ShelfLayer } from "./shelf.svelte";
import { SolidLayer } from "./solids.svelte";

const DOT = 14; // pixels

export class MovingLayer implements Layer {
  readonly kind = "overlay";
  readonly group = new Group();
  private gizmo: Gizmo;
  private drag: Drag | undefined;
  private dot = new Points(new BufferGeometry(), dotMaterial({ size: DOT }));

  constructor(
    private bench: Bench,
    private stage: Stage,
  ) {
    const { moving, selection, scene, time, connection } = bench;
    this.group.name = "moving";
    this.gizmo = new Gizmo(stage, {
      begin: (grip) => this.begin(grip),
      drag: (pose, grip) => this.follow(pose, grip),
      letGo: (pose) => this.letGo(pose),
      type: (grip, text) => this.type(grip, text),
      cancel: () => moving.cancel(),
    });
    this.dot.geometry.setAttribute("position", new BufferAttribute(new Float32Array(3), 3));
    this.dot.frustumCulled = false;
    this.dot.renderOrder = 20;
    this.group.add(this.gizmo.group, this.dot);
    $effect(() => {
      void [selection.ids, scene.seen, moving.handle, time.live, connection.link, bench.loose.places];
      const soon = setTimeout(() => void moving.refresh(), 30);
      return () => clearTimeout(soon);
    });
    $effect(() => {
      if (!moving.held || moving.handle === "off") this.gizmo.drop();
      else this.gizmo.hold(this.shown(moving.held.pose), moving.handle === "turn" ? "rotate" : "translate", moving.own ? "local" : "world");
    });
    $effect(() => {
      const { caught } = moving;
      this.dot.visible = caught !== undefined;
      if (caught) (this.dot.geometry.getAttribute("position") as BufferAttribute).setXYZ(0, ...caught.point.toArray()).needsUpdate = true;
      stage.changed();
    });
    $effect(() => {
      void moving.motion;
      stage.changed();
    });
  }

  private shown(pose: Matrix4): Matrix4 {
    const { motion } = this.bench.moving;
    return motion ? motion.clone().multiply(pose) : pose;
  }

  get grabs(): boolean {
    return this.gizmo.grabs;
  }

  enter(pane: Pane): void {
    this.gizmo.enter(pane);
  }

  private get bodies() {
    return this.stage.layers.find((layer) => layer instanceof SolidLayer)?.bodies;
  }

  /** The bodies of what is held, and those that they are drawn among. */
  private get thing(): { bodies: Bodies | undefined; ids: readonly string[] } {
    const { held } = this.bench.moving;
    if (held?.node.kind !== "loose") return { bodies: this.bodies, ids: held?.node.bodies ?? [] };
    return { bodies: (this.stage.layers.find((layer) => layer.group.name === "shelf") as ShelfLayer | undefined)?.bodies, ids: [held.node.id] };
  }

  private begin({ axis }: Grip): void {
    const { held, own, handle } = this.bench.moving;
    const { bodies, ids } = this.thing;
    if (!held || !bodies) return;
    const start = held.pose.clone();
    const from = new Vector3().setFromMatrixPosition(start);
    const moved = ids.filter((id) => held.bodies.has(id) || held.others.has(id));
    const flats = handle !== "move" ? [] : held.node.kind === "target" ? [tipOf(start)] : flatsOf(bodies, moved);
    this.drag = { start, axis, own, flats, extent: (direction) => extentOf(bodies, ids, from, direction) };
  }

  private follow(raw: Matrix4, grip: Grip): Matrix4 | undefined {
    const { moving, preferences, picking, scene } = this.bench;
    const { drag, bodies } = this;
    if (!moving.held || !drag || !bodies) return undefined;
    const { snap, step, angle } = preferences.hands;
    const steps = { length: step, angle };
    let pose = raw;
    moving.caught = undefined;
    picking.point(undefined);
    if (snap && !grip.free) {
      const found = moving.handle === "move" ? under(bodies, grip.pane.ray(grip.x, grip.y), moving.held.bodies) : undefined;
      const snapped = moving.handle === "move" ? snapMove(drag, raw, found, steps) : snapTurn(drag, raw, steps);
      pose = snapped.pose;
      moving.caught = snapped.caught;
      if (snapped.caught && found?.spot) picking.point(found.spot);
    }
    if (moving.handle === "move") pose = toMicrometres(pose, drag.start);
    moving.show(pose);
    moving.readout = { text: describe(drag, moving.handle === "turn" ? "turn" : "move", pose, scene.units), ...inWindow(grip) };
    return pose;
  }

  private letGo(pose: Matrix4): void {
    this.bench.picking.point(undefined);
    this.drag = undefined;
    void this.bench.moving.letGo(pose);
  }

  private type(grip: Grip, text: string): void {
    const { moving } = this.bench;
    const { x, y } = inWindow(grip);
    if (!this.drag || !moving.held || !/^[XYZ]$/.test(grip.axis)) moving.cancel();
    else moving.open({ drag: this.drag, kind: moving.handle === "turn" ? "turn" : "move", text, x, y });
  }

  theme(theme: Theme): void {
    this.dot.material.color.set(theme.pick);
  }

  dispose(): void {
    this.gizmo.drop();
    this.dot.geometry.dispose();
    this.dot.material.dispose();
  }
}
