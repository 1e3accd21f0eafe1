// serverurl.ts - the address of the daemon: the folder that this page was loaded from. Behind a
// reverse proxy it may have a path.

export function serverUrl(): string {
  return new URL("./", location.href).href;
}
