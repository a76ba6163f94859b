import { expect, test } from "vitest";
import { parseGlb } from "./glb";

function glb(json: object, bin: ArrayBuffer): ArrayBuffer {
  let text = JSON.stringify(json);
  text += " ".repeat((4 - (text.length % 4)) % 4);
  const head = new TextEncoder().encode(text);
  const out = new ArrayBuffer(28 + head.length + bin.byteLength);
  const view = new DataView(out);
  [0x46546c67, 2, out.byteLength, head.length, 0x4e4f534a].forEach((word, i) => view.setUint32(4 * i, word, true));
  new Uint8Array(out, 20).set(head);
  view.setUint32(20 + head.length, bin.byteLength, true);
  view.setUint32(24 + head.length, 0x004e4942, true);
  new Uint8Array(out, 28 + head.length).set(new Uint8Array(bin));
  return out;
}

/** A triangle, its normals left out when asked, and one edge of it as a line. */
function triangle(normals: boolean) {
  const bin = new ArrayBuffer(36 + 36 + 8 + 4);
  new Float32Array(bin, 0).set([0, 0, 0, 2, 0, 0, 0, 2, 0]);
  new Float32Array(bin, 36, 9).set([0, 0, 1, 0, 0, 1, 0, 0, 1]);
  new Uint16Array(bin, 72).set([0, 1, 2, 0, 1, 2]);
  const attributes: Record<string, number> = normals ? { POSITION: 0, NORMAL: 1 } : { POSITION: 0 };
  return glb(
    {
      bufferViews: [
        { byteLength: 36 },
        { byteOffset: 36, byteLength: 36 },
        { byteOffset: 72, byteLength: 6 },
        { byteOffset: 78, byteLength: 4 },
      ],
      accessors: [
        { bufferView: 0, componentType: 5126, count: 3, type: "VEC3" },
        { bufferView: 1, componentType: 5126, count: 3, type: "VEC3" },
        { bufferView: 2, componentType: 5123, count: 3, type: "SCALAR" },
        { bufferView: 3, componentType: 5123, count: 2, type: "SCALAR" },
      ],
      meshes: [
        {
          primitives: [
            { attributes, indices: 2, mode: 4 },
            { attributes: { POSITION: 0 }, indices: 3, mode: 1 },
          ],
        },
      ],
    },
    bin,
  );
}

test.each([true, false])("triangles and edges, normals given %s", (normals) => {
  const shape = parseGlb(triangle(normals));
  expect([...shape.indices]).toEqual([0, 1, 2]);
  expect([...shape.positions.slice(3, 6)]).toEqual([2, 0, 0]);
  expect([...shape.normals.slice(0, 3)]).toEqual([0, 0, 1]);
  expect([...shape.edges]).toEqual([0, 0, 0, 2, 0, 0]);
});

test("what is no GLB is refused", () => {
  expect(() => parseGlb(new ArrayBuffer(40))).toThrow("not a GLB");
  expect(() => parseGlb(glb({ meshes: [{ primitives: [{ attributes: {} }] }] }, new ArrayBuffer(0)))).toThrow("cannot be read");
  expect(parseGlb(glb({}, new ArrayBuffer(0))).indices.length).toBe(0);
});
