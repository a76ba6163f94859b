// Coloured line segments that are some pixels wide.
import { LineMaterial, type LineMaterialParameters } from "three/examples/jsm/lines/LineMaterial.js";
import { LineSegments2 } from "three/examples/jsm/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/examples/jsm/lines/LineSegmentsGeometry.js";

export class ThickLines extends LineSegments2 {
  /** @param width in pixels. */
  constructor(width: number, how: LineMaterialParameters = {}) {
    super(new LineSegmentsGeometry(), new LineMaterial({ linewidth: width, vertexColors: true, transparent: true, ...how }));
    this.frustumCulled = false;
    this.visible = false;
  }

  /** Draw segments: two points each, with a colour for each point. */
  draw(points: readonly number[], colours: readonly number[]): void {
    this.visible = points.length > 0;
    if (!this.visible) return;
    this.geometry.dispose();
    this.geometry = new LineSegmentsGeometry().setPositions([...points]).setColors([...colours]);
  }

  dispose(): void {
    this.geometry.dispose();
    this.material.dispose();
  }
}
