"""Random but sensible command lines: most of them are carried out, some are refused."""

from __future__ import annotations

import random

KINDS = ("surface", "block", "object", "scene", "frame", "target", "signal", "material", "zone", "sensor")
FITS = {
    "surface": ("block",),
    "block": ("object", "zone"),
    "object": ("scene",),
    "frame": ("object", "scene"),
    "sensor": ("object", "scene", "frame"),
}


class ScriptMaker:
    """Makes lines from a seed, remembering what it made so that later lines speak of it."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.names: dict[str, list[str]] = {kind: [] for kind in KINDS}
        self.relations: list[str] = []
        self.count = 0

    def line(self) -> str:
        pick = self.random.random()
        makers = [
            (0.34, self.create), (0.58, self.attach), (0.66, self.modify), (0.72, self.copy), (0.77, self.detach),
            (0.82, self.remove), (0.86, self.add_property), (0.90, self.rename), (0.94, self.add_solid), (0.97, self.transform),
        ]  # fmt: skip
        for limit, maker in makers:
            if pick < limit:
                return maker()
        return self.random.choice(["undo", "redo", "units mm deg", "units m rad"])

    def lines(self, count: int) -> list[str]:
        return [self.line() for _ in range(count)]

    def fresh(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def number(self) -> str:
        return f"{self.random.uniform(-500, 500):.3f}"

    def triple(self) -> str:
        return ",".join(self.number() for _ in range(3))

    def size(self) -> str:
        return f"{self.random.uniform(1, 300):.2f}"

    def some(self, kind: str) -> str:
        known = self.names[kind]
        return self.random.choice(known) if known and self.random.random() < 0.95 else "nobody"

    def create(self) -> str:
        kind = self.random.choice(KINDS)
        name = self.fresh(kind[0])
        self.names[kind].append(name)
        if kind == "surface":
            side = self.size()
            return f"create surface {name} contour (0,0) ({side},0) ({side},{side}) (0,{side})"
        if kind == "block" and self.random.random() < 0.7:
            return f"create block {name} {self.shape()} colour {self.random.choice(['red', 'steel', '#12ab9f'])}"
        return f'create {kind} {name} description "number {self.count}"'

    def shape(self) -> str:
        return self.random.choice(
            [
                f"box {self.size()} {self.size()} {self.size()}",
                f"cylinder {self.size()} h={self.size()}",
                f"sphere {self.size()}",
            ]
        )

    def form(self) -> str:
        return self.random.choice(
            [
                "", f"translate {self.triple()}", f"rotate {self.triple()}", f"scale 2,3,{self.size()} rotate 90,0,0",
                f"axis 0,0,1 point {self.triple()} angle 30", f"euler kuka_abc {self.triple()}", "quaternion 1,2,0,3",
                "points (0,0,0) (1,0,0) (0,1,0) to (5,0,0) (5,1,0) (4,0,0)", "matrix (1,0,0,5, 0,0,-1,6, 0,1,0,7)",
            ]
        )  # fmt: skip

    def attach(self) -> str:
        child = self.random.choice(list(FITS))
        parent = self.random.choice(FITS[child])
        part, whole, name = self.some(child), self.some(parent), self.fresh("r")
        self.relations.append(f"{whole}/{name}")
        form = self.form() if parent in ("block", "object") else f"translate {self.triple()}"
        return f"attach {child} {part} to {parent}:{whole} as {name} {form}"

    def modify(self) -> str:
        kind = self.random.choice(KINDS)
        field = self.random.choice(
            [("colour", "blue"), ("movable", "yes"), ("description", '"a ""b"'), ("description", '"x y"')]
        )
        return f"modify {kind}:{self.some(kind)} {field[0]} {field[1]}"

    def rename(self) -> str:
        kind = self.random.choice(KINDS)
        name = self.fresh("n")
        old = self.some(kind)
        if old in self.names[kind]:
            self.names[kind].remove(old)
            self.names[kind].append(name)
        return f"modify {kind}:{old} name {name}"

    def copy(self) -> str:
        kind = self.random.choice(["block", "object", "surface"])
        name = self.fresh("c")
        old = self.some(kind)
        self.names[kind].append(name)
        return f"copy {kind} {old} as {name} {self.random.choice(['', 'scale 2,2,2', '--deep', 'rotate 0,0,33'])}"

    def detach(self) -> str:
        return f"detach {self.random.choice(self.relations) if self.relations else 'a/b'}"

    def remove(self) -> str:
        kind = self.random.choice(KINDS)
        return f"remove {kind}:{self.some(kind)} {self.random.choice(['', '--deep'])}"

    def add_property(self) -> str:
        kind = self.random.choice(KINDS)
        return f"add property {self.fresh('p')} to {kind}:{self.some(kind)} {self.random.choice(['12mm', '3.5', 'text', '30deg'])}"

    def add_solid(self) -> str:
        name = self.fresh("solid")
        self.names["object"].append(name)
        self.names["block"].append(f"{name}-solid")
        return f"add solid {name} {self.shape()} at {self.triple()} rotate 0,0,{self.number()}"

    def transform(self) -> str:
        path = self.random.choice(self.relations) if self.relations else "a/b"
        return f"modify {path} transform {self.form() or 'translate 1,2,3'}"
