// fields.tsx - the transform of what is selected, in numbers.
export function Fields() {
  return null;
}
