// gltfjson.ts - makes of a glTF file that the server took one that three.js's loader can read. The
// loader stops at what it does not expect, and all shapes of the file would be lost for it.

/**
 * Where the JSON of the file ends: that of a .glb with its first chunk, otherwise with the file.
 */
export function jsonEnd(bytes: ArrayBuffer): number {
  const view = new DataView(bytes);
  const isBinary = bytes.byteLength >= 20 && view.getUint32(0, true) === 0x46546c67;
  return isBinary ? Math.min(20 + view.getUint32(12, true), bytes.byteLength) : bytes.byteLength;
}

const BLANKS = [0x20, 0x0a, 0x0d, 0x09, 0];

/** Some programs pad the JSON with NULs, which are no JSON: they become blanks. */
export function blankPadding(bytes: ArrayBuffer): void {
  const text = new Uint8Array(bytes, 0, jsonEnd(bytes));
  for (let at = text.length; at > 0 && BLANKS.includes(text[at - 1]); ) text[--at] = 0x20;
}

/** Some programs write null for what is not there: such members are removed, at any depth. */
export function removeNulls(json: object): void {
  const waiting: object[] = [json];
  for (let holder = waiting.pop(); holder; holder = waiting.pop())
    for (const [key, value] of Object.entries(holder)) {
      if (value === null && !Array.isArray(holder)) delete (holder as Record<string, null>)[key];
      else if (typeof value === "object" && value !== null) waiting.push(value as object);
    }
}

/** @returns the index of the mesh of each node, which need not be an object */
export function meshesOf(nodes: unknown): (number | undefined)[] {
  if (!Array.isArray(nodes)) return [];
  return (nodes as ({ mesh?: unknown } | null)[]).map((node) => {
    const mesh = node?.mesh;
    return Number.isInteger(mesh) ? (mesh as number) : undefined;
  });
}

interface Primitive {
  attributes?: Record<string, unknown>;
  indices?: unknown;
  material?: unknown;
  mode?: unknown;
  targets?: unknown;
}

/**
 * A member that cannot be used costs itself, as for the server, and not the shape: a material or an
 * attribute that does not exist, an unknown mode. Morph targets are not shown, and so not read.
 */
export function mendPrimitives(json: Record<string, unknown>): void {
  const isIndex = (value: unknown, list: unknown): boolean =>
    Array.isArray(list) && Number.isInteger(value) && isObject(list[value as number]);
  for (const primitive of primitivesOf(json.meshes)) {
    const { attributes, indices, material, mode } = primitive;
    if (!isIndex(material, json.materials)) delete primitive.material;
    if (!isIndex(indices, json.accessors)) delete primitive.indices;
    if (!Number.isInteger(mode) || (mode as number) < 0 || (mode as number) > 6)
      delete primitive.mode;
    delete primitive.targets;
    for (const [key, index] of Object.entries(attributes ?? {}))
      if (!isIndex(index, json.accessors)) delete attributes?.[key];
  }
}

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;

/** Of all meshes; what is no primitive is left out of its mesh. */
function primitivesOf(meshes: unknown): Primitive[] {
  const lists = Array.isArray(meshes) ? (meshes as ({ primitives?: unknown } | null)[]) : [];
  return lists.flatMap((mesh) => {
    if (!mesh || !Array.isArray(mesh.primitives)) return [];
    const primitives = mesh.primitives.filter(isObject) as Primitive[];
    mesh.primitives = primitives;
    return primitives;
  });
}
