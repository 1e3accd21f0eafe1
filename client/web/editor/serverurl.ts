// serverurl.ts - the daemon's address: the folder that this page came from. Behind a reverse proxy it may be below a path.

export function serverUrl(): string {
  return new URL("./", location.href).href;
}
