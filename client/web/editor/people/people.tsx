// people.tsx - who is here.
export function PeoplePanel() {
  return null;
}
