// instances.ts - draws all shapes: parts with the same geometry and material are instances of one
// draw call. Only the matrices of nodes that moved are written and uploaded; adding and removing a
// node takes constant time.
import * as THREE from "three";

import type { Id, Mat4 } from "../../sdk/types.js";

export type Primitive = "mesh" | "points" | "line" | "segments" | "loop";

/** What is drawn with one material. */
export interface Part {
  geometry: THREE.BufferGeometry;
  material: THREE.Material;
  primitive: Primitive;
}

export interface InstanceOptions {
  /** Replaces the materials of the parts. */
  material?: THREE.Material;
  /** Each instance has a colour. */
  coloured?: boolean;
  renderOrder?: number;
}

interface Slot {
  batch: Batch;
  index: number;
}

/** One node that is drawn: a slot for each of its parts. */
interface Entry {
  parts: readonly Part[];
  mirrored: boolean;
  slots: Slot[];
}

export class InstanceSet {
  readonly group = new THREE.Group();
  #batches = new Map<string, Batch>();
  #entries = new Map<Id, Entry>();

  /**
   * @param origin is subtracted from each translation; after it has changed call `clear` and put
   * all nodes again
   */
  constructor(
    readonly origin: THREE.Vector3,
    readonly options: InstanceOptions = {},
  ) {}

  get ids(): Iterable<Id> {
    return this.#entries.keys();
  }

  get size(): number {
    return this.#entries.size;
  }

  has(id: Id): boolean {
    return this.#entries.has(id);
  }

  /** Adds a node, or moves it to its current place. */
  put(id: Id, parts: readonly Part[], world: Mat4, colour?: THREE.Color): void {
    const mirrored = determinant(world) < 0;
    let entry = this.#entries.get(id);
    if (entry && (entry.parts !== parts || entry.mirrored !== mirrored)) {
      this.remove(id);
      entry = undefined;
    }
    if (!entry) {
      entry = { parts, mirrored, slots: parts.map((part) => this.#batch(part, mirrored).add()) };
      this.#entries.set(id, entry);
    }
    for (const { batch, index } of entry.slots) batch.write(index, world, this.origin, colour);
  }

  remove(id: Id): void {
    for (const slot of this.#entries.get(id)?.slots ?? []) {
      slot.batch.remove(slot);
      if (slot.batch.empty) this.#drop(slot.batch);
    }
    this.#entries.delete(id);
  }

  clear(): void {
    for (const batch of [...this.#batches.values()]) this.#drop(batch);
    this.#entries.clear();
  }

  /** The first instance that a ray hits. */
  meet(ray: THREE.Raycaster): { id: Id; point: THREE.Vector3 } | null {
    let first: (THREE.Intersection & { batch: Batch }) | null = null;
    for (const batch of this.#batches.values()) {
      const met = batch.meet(ray);
      if (met && (!first || met.distance < first.distance)) first = { ...met, batch };
    }
    if (!first) return null;
    const { batch, instanceId, point } = first;
    for (const [id, { slots }] of this.#entries)
      if (slots.some((slot) => slot.batch === batch && slot.index === instanceId))
        return { id, point };
    return null;
  }

  /** Called before each picture: uploads what was written. */
  flush(): void {
    for (const batch of this.#batches.values()) batch.flush();
  }

  #batch(part: Part, mirrored: boolean): Batch {
    const material = this.options.material ?? part.material;
    const key = `${part.geometry.id} ${material.id} ${mirrored}`;
    let batch = this.#batches.get(key);
    if (!batch) {
      batch = new Batch(key, { ...part, material }, mirrored, this.group, this.options);
      this.#batches.set(key, batch);
    }
    return batch;
  }

  #drop(batch: Batch): void {
    this.#batches.delete(batch.key);
    batch.dispose();
  }
}

/**
 * The instances of one geometry and material. Mirrored instances need the opposite winding of their
 * triangles, which three knows for whole objects only; so a mirrored batch is a mirrored object
 * whose instances are mirrored back.
 */
class Batch {
  #mesh: THREE.InstancedMesh;
  #slots: Slot[] = [];
  #low = Infinity;
  #high = -1;

  constructor(
    readonly key: string,
    readonly part: Part,
    readonly mirrored: boolean,
    readonly group: THREE.Group,
    readonly options: InstanceOptions,
  ) {
    this.#mesh = this.#make(1);
  }

  get empty(): boolean {
    return this.#slots.length === 0;
  }

  add(): Slot {
    const slot = { batch: this, index: this.#slots.length };
    if (slot.index === this.#mesh.instanceMatrix.count) this.#grow();
    this.#slots.push(slot);
    this.#mesh.count = this.#slots.length;
    return slot;
  }

  /** The last instance takes the free place. */
  remove(slot: Slot): void {
    const last = this.#slots.pop() as Slot;
    this.#mesh.count = this.#slots.length;
    if (last === slot) return;
    const { instanceMatrix, instanceColor } = this.#mesh;
    instanceMatrix.array.copyWithin(16 * slot.index, 16 * last.index, 16 * last.index + 16);
    instanceColor?.array.copyWithin(3 * slot.index, 3 * last.index, 3 * last.index + 3);
    last.index = slot.index;
    this.#slots[last.index] = last;
    this.#touch(last.index);
  }

  write(index: number, world: Mat4, origin: THREE.Vector3, colour?: THREE.Color): void {
    const { array } = this.#mesh.instanceMatrix;
    const at = 16 * index;
    for (let i = 0; i < 16; i++) array[at + i] = world[i];
    array[at + 12] = world[12] - origin.x;
    array[at + 13] = world[13] - origin.y;
    array[at + 14] = world[14] - origin.z;
    if (this.mirrored) for (let column = 0; column < 4; column++) array[at + 4 * column] *= -1;
    if (colour) colour.toArray(this.#mesh.instanceColor?.array as Float32Array, 3 * index);
    this.#touch(index);
  }

  flush(): void {
    if (this.#high < 0) return;
    for (const attribute of [this.#mesh.instanceMatrix, this.#mesh.instanceColor]) {
      if (!attribute) continue;
      attribute.clearUpdateRanges();
      attribute.addUpdateRange(
        this.#low * attribute.itemSize,
        (this.#high - this.#low + 1) * attribute.itemSize,
      );
      attribute.needsUpdate = true;
    }
    this.#low = Infinity;
    this.#high = -1;
  }

  /** Lines and points have no surface, so a ray does not hit them. */
  meet(ray: THREE.Raycaster): THREE.Intersection | undefined {
    if (this.part.primitive !== "mesh") return undefined;
    this.#mesh.boundingSphere = null;
    return ray.intersectObject(this.#mesh, false)[0];
  }

  dispose(): void {
    this.group.remove(this.#mesh);
    this.#mesh.dispose();
  }

  #touch(index: number): void {
    this.#low = Math.min(this.#low, index);
    this.#high = Math.max(this.#high, index);
  }

  #grow(): void {
    const old = this.#mesh;
    this.#mesh = this.#make(2 * old.instanceMatrix.count);
    this.#mesh.instanceMatrix.array.set(old.instanceMatrix.array);
    if (old.instanceColor) this.#mesh.instanceColor?.array.set(old.instanceColor.array);
    this.#touch(0);
    this.#touch(old.instanceMatrix.count - 1);
    this.group.remove(old);
    old.dispose();
  }

  #make(capacity: number): THREE.InstancedMesh {
    const { geometry, material, primitive } = this.part;
    const mesh = new THREE.InstancedMesh(geometry, material, capacity);
    if (this.options.coloured)
      mesh.instanceColor = new THREE.InstancedBufferAttribute(new Float32Array(3 * capacity), 3);
    if (primitive !== "mesh") Object.assign(mesh, OTHER_PRIMITIVES[primitive]);
    if (this.mirrored) mesh.scale.x = -1;
    mesh.renderOrder = this.options.renderOrder ?? 0;
    mesh.frustumCulled = false;
    this.group.add(mesh);
    return mesh;
  }
}

/** The flags by which three knows what an object's vertices form. */
const OTHER_PRIMITIVES = {
  points: { isMesh: false, isPoints: true },
  line: { isMesh: false, isLine: true },
  segments: { isMesh: false, isLine: true, isLineSegments: true },
  loop: { isMesh: false, isLine: true, isLineLoop: true },
};

function determinant(m: Mat4): number {
  return (
    m[0] * (m[5] * m[10] - m[6] * m[9]) -
    m[4] * (m[1] * m[10] - m[2] * m[9]) +
    m[8] * (m[1] * m[6] - m[2] * m[5])
  );
}
