// gltf.js - a glTF as three.js reads it: what the server says of its triangles is held against this.
import { GLTFLoader } from "../../../client/web/node_modules/three/examples/jsm/loaders/GLTFLoader.js";

/** The file as three draws it: its meshes, and of each the index of its node in the file. @param {Buffer} bytes */
export async function loadGltf(bytes) {
  globalThis.self ??= globalThis;
  const { scene, parser } = await new GLTFLoader().parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength), "");
  scene.updateMatrixWorld(true);
  const nodeOf = (object) => parser.associations.get(object)?.nodes ?? (object.parent ? nodeOf(object.parent) : undefined);
  const meshes = [];
  scene.traverse((object) => object.isMesh && meshes.push(object));
  return { meshes, nodeOf };
}
