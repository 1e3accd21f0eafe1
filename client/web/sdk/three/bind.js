// bind.js - binds objects of three.js to nodes. A binding moves the objects to where their nodes
// are, whoever moves these; to move an object, ask the session. If one node is below another, their
// objects must be related in the same way, because transforms are relative to the parent. Bound to
// `session.shown`, objects go smoothly where others move them; bound to `session.scene`, they are
// where the server last said.
import { Emitter } from "../emitter.js";
import { boundsOf, isAtOrigin, placeOf, put, updateWorldByHand } from "./seen.js";

/** @import {Object3D} from "three" */
/** @import {Id, NewNode, SceneChange, SceneNode} from "../types.js" */
/** @import {SceneModel} from "../scene.js" */
/** @import {DrawnScene} from "../shown.js" */
/** @import {Session} from "../session.js" */

/**
 * @typedef {object} BindingEvents
 * @property {Object3D[]} change these objects moved, and everything below them; the list is valid
 * during the call
 * @property {Object3D} gone its node was deleted; the object stays where it is
 */

/** @extends {Emitter<BindingEvents>} */
export class Binding extends Emitter {
  /** @type {Map<Id, Object3D>} */
  #objects = new Map();
  /** @type {Map<Object3D, Id>} */
  #nodes = new Map();
  /** Whose world matrix three.js does not make. @type {Set<Object3D>} */
  #byHand = new Set();
  /** The list of the last event `change`, to be written again. @type {Object3D[]} */
  #moved = [];
  #stop;

  /**
   * @param {DrawnScene} scene
   * @param {(node: SceneNode) => Object3D | null | undefined} objectOf returns the object of a
   * node; called once for each node, and again by `refresh` if it had none
   */
  constructor(scene, objectOf) {
    super();
    this.scene = scene;
    this.find = objectOf;
    this.#stop = scene.on("change", (change) => this.#follow(change));
    this.#bindAll();
  }

  /** @param {Id} id */
  objectOf(id) {
    return this.#objects.get(id);
  }

  /**
   * The node of an object, or of its nearest ancestor that has one.
   * @param {Object3D | null} object
   * @returns {Id | undefined}
   */
  nodeOf(object) {
    for (let at = object; at; at = at.parent) {
      const id = this.#nodes.get(at);
      if (id !== undefined) return id;
    }
    return undefined;
  }

  /** Looks for the objects of nodes that have none yet. */
  refresh() {
    this.#bindAll();
  }

  /** Ends the binding; the objects stay where they are. */
  dispose() {
    this.#stop();
    this.#objects.clear();
    this.#nodes.clear();
    this.#byHand.clear();
  }

  /** @param {SceneChange} change */
  #follow(change) {
    const gone = change.all
      ? [...this.#objects.keys()].filter((id) => !this.scene.get(id))
      : change.gone;
    for (const id of gone) this.#forget(id);
    if (change.all) return this.#bindAll();
    for (const id of change.added) this.#bind(id);
    for (const id of change.added) this.#hang(id);
    for (const id of change.structure) this.#hang(id);
    this.#tell(change.added, change.moved);
  }

  #bindAll() {
    for (const id of this.scene.nodes.keys()) this.#bind(id);
    for (const id of this.scene.nodes.keys()) this.#hang(id);
    this.#tell(this.scene.nodes.keys());
  }

  /** @param {Id} id */
  #bind(id) {
    const node = this.scene.get(id);
    if (!node || this.#objects.has(id)) return;
    const object = this.find(node);
    if (!object) return;
    this.#objects.set(id, object);
    this.#nodes.set(object, id);
    if (!object.matrixWorldAutoUpdate) this.#byHand.add(object);
  }

  /** @param {Id} id */
  #forget(id) {
    const object = this.#objects.get(id);
    if (!object) return;
    this.#objects.delete(id);
    this.#nodes.delete(object);
    this.#byHand.delete(object);
    this.emit("gone", object);
  }

  /**
   * A node moved to another parent: its object follows if both have one, and goes to the top if the
   * parent has none.
   * @param {Id} id
   */
  #hang(id) {
    const object = this.#objects.get(id),
      node = this.scene.get(id);
    if (!object?.parent || !node || this.nodeOf(object.parent) === (node.parent ?? undefined))
      return;
    const above = node.parent === null ? topOf(object) : this.#objects.get(node.parent);
    above?.add(object);
  }

  /** @param {...Iterable<Id>} lists */
  #tell(...lists) {
    const moved = this.#moved;
    let count = 0;
    for (const ids of lists)
      for (const id of ids) {
        const object = this.#place(id);
        if (object) moved[count++] = object;
      }
    if (moved.length !== count) moved.length = count;
    if (count > 0) for (const object of this.#byHand) updateWorldByHand(object);
    if (count > 0) this.emit("change", moved);
  }

  /** @param {Id} id @returns {Object3D | null} the object that was put where the node is */
  #place(id) {
    const object = this.#objects.get(id),
      node = this.scene.get(id);
    if (!object || !node) return null;
    put(object, node);
    return object;
  }
}

/**
 * Binds the nodes of a scene to the application's objects.
 * @param {DrawnScene} scene
 * @param {(node: SceneNode) => Object3D | null | undefined} objectOf
 */
export function bind(scene, objectOf) {
  return new Binding(scene, objectOf);
}

/**
 * Binds the nodes of a scene that was imported from a glTF file to the objects that GLTFLoader made
 * from the same file (`sceneUrl(scene, "asset")`). Copies of a node get clones of its object, with
 * the same geometry and material. A scene of several files has a binding for each.
 * @param {DrawnScene} scene
 * @param {{ parser: { associations: Map<any, { nodes?: number }> } }} gltf
 * @param {{ first?: number }} [file] the number of the file's first node, as `listAssets` says
 */
export function bindGltf(scene, gltf, { first = 0 } = {}) {
  /** @type {Map<number, Object3D>} */
  const objects = new Map();
  for (const [object, { nodes }] of gltf.parser.associations) {
    if (nodes !== undefined && object.isObject3D) objects.set(first + nodes, object);
  }
  const own = new Set(objects.values());
  /** @type {Map<Id, Object3D>} */
  const clones = new Map();
  /** @type {Map<number, Id>} */
  const owners = new Map();
  return bind(scene, ({ id, asset }) => {
    const object = asset === undefined ? undefined : objects.get(asset);
    if (!object || asset === undefined) return undefined;
    if (!owners.has(asset)) owners.set(asset, id);
    if (owners.get(asset) === id) return object;
    const clone = clones.get(id) ?? cloneWithout(object, own);
    clones.set(id, clone);
    if (!clone.parent) object.parent?.add(clone);
    return clone;
  });
}

/**
 * Clones an object and everything below it, except objects that have a node of their own.
 * @param {Object3D} object
 * @param {Set<Object3D>} others
 * @returns {Object3D}
 */
function cloneWithout(object, others) {
  const clone = object.clone(false);
  for (const child of object.children)
    if (!others.has(child)) clone.add(cloneWithout(child, others));
  return clone;
}

/**
 * Shares the application's objects with everybody in the scene: each object is bound to the node of
 * its name, the first that was made if several have it. A missing node is created where the object
 * is seen, with the box around all that is seen of it; an object whose node exists moves to the
 * node's place. An object whose matrix shears is an error, before anything is made.
 * @param {Session} session as an editor, or else it can only bind to existing nodes
 * @param {Iterable<Object3D>} objects with unique names; parents that are not among them must not
 * be moved, turned or scaled
 */
export async function share(session, objects) {
  const named = new Map([...objects].map((object) => [object.name, check(object)]));
  const all = new Set(named.values());
  if (named.has("") || named.size !== [...objects].length)
    throw new Error("gizmod: each shared object needs a unique name");
  const known = names(session.scene);
  const missing = [...all]
    .filter((object) => !known.has(object.name))
    .sort((a, b) => depthOf(a) - depthOf(b));
  if (missing.length > 0 && session.role !== "viewer") {
    const { ids } = await session.create(missing.map((object) => nodeOf(object, all, known)));
    await removeDoubles(session.scene, ids, (doubles) => session.delete(doubles));
  }
  const first = names(session.scene);
  return bind(session.shown, ({ id, name }) =>
    (first.get(name) ?? id) === id ? named.get(name) : undefined,
  );
}

/** The first node of each name. @param {SceneModel} scene @returns {Map<string, Id>} */
function names(scene) {
  const found = new Map();
  for (const { id, name } of scene.nodes.values()) if (!(found.get(name) < id)) found.set(name, id);
  return found;
}

/**
 * Two sessions that join at the same time both create missing nodes: the first node of each name
 * stays, and a duplicate whose children stay is kept.
 * @param {SceneModel} scene
 * @param {Id[]} ids
 * @param {(doubles: Id[]) => Promise<unknown>} remove
 */
async function removeDoubles(scene, ids, remove) {
  const known = names(scene);
  const doubles = new Set(ids.filter((id) => known.get(scene.get(id)?.name ?? "") !== id));
  const alone = [...doubles].filter((id) =>
    [...scene.below(id)].every((below) => doubles.has(below)),
  );
  if (alone.length > 0) await remove(alone);
}

/**
 * @param {Object3D} object
 * @param {Set<Object3D>} all
 * @param {Map<string, Id>} known
 * @returns {NewNode}
 */
function nodeOf(object, all, known) {
  const above = sharedAbove(object, all);
  return {
    ref: object.name,
    name: object.name,
    parent: above ? (known.get(above.name) ?? above.name) : null,
    ...placeOf(object),
    bounds: boundsOf(object, all),
  };
}

/** @param {Object3D} object @param {Set<Object3D>} all @returns {Object3D | undefined} */
function sharedAbove(object, all) {
  for (let at = object.parent; at; at = at.parent) {
    if (all.has(at)) return at;
    if (!isAtOrigin(at))
      throw new Error(
        `gizmod: a parent of "${object.name}" is moved, turned or scaled but not shared`,
      );
  }
  return undefined;
}

/** @param {Object3D} object */
function check(object) {
  if (!object.isObject3D) throw new TypeError("gizmod: only objects of three.js can be shared");
  return object;
}

/** @param {Object3D} object */
function topOf(object) {
  let top = object;
  while (top.parent) top = top.parent;
  return top;
}

/** @param {Object3D} object */
function depthOf(object) {
  let depth = 0;
  for (let at = object.parent; at; at = at.parent) depth++;
  return depth;
}
