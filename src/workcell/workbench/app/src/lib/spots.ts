// A face or an edge of a body, as it is picked in the view.

/** A face or edge: its body, the place of its piece in the body, and the numbers of its face or of the two faces that meet. */
export interface Spot {
  kind: "face" | "edge";
  body: string;
  piece: number;
  faces: readonly number[];
}

export function sameSpot(one: Spot | undefined, two: Spot | undefined): boolean {
  if (!one || !two) return one === two;
  return one.kind === two.kind && one.body === two.body && one.piece === two.piece && one.faces.join() === two.faces.join();
}
