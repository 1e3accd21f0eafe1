// topbar.tsx - the name of the scene, the state of the connection, menus.
export function TopBar() {
  return <header />;
}
