import { describe, expect, it } from "vitest";
import { lineOf, mainOnes } from "./imports";

describe("imports", () => {
  it("read a robot and not the meshes beside it", () => {
    expect(mainOnes(["arm/meshes/base.stl", "arm/arm.urdf", "arm/meshes/hand.stl"])).toEqual(["arm/arm.urdf"]);
    expect(mainOnes(["a.step", "b.stl"])).toEqual(["a.step", "b.stl"]);
  });

  it("are commands as they would be typed", () => {
    const way = { makes: "a block", placing: true, text: "", command: "import solid", parameters: { name: '"big box"', unit: "mm" } };
    expect(lineOf(way, "/tmp/up loads/big box.stl")).toBe('import solid "big box" "/tmp/up loads/big box.stl" mm');
    expect(lineOf({ ...way, command: "import world", parameters: { file: "x" } }, "/tmp/a.wld")).toBe("import world /tmp/a.wld");
  });
});
