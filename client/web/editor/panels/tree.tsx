// tree.tsx - the tree of the scene.
export function Tree() {
  return null;
}
