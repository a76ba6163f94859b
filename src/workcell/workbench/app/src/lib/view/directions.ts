/** From what is looked at to the eye, for each named view from a side. */
export const DIRECTIONS: Record<string, [number, number, number]> = {
  iso: [1.0, -1.25, 0.78],
  front: [0, -1, 0.0001],
  back: [0, 1, 0.0001],
  right: [1, 0, 0.0001],
  left: [-1, 0, 0.0001],
  top: [0, -0.0002, 1],
  bottom: [0, -0.0002, -1],
};
