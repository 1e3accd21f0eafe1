// serverurl.ts - the address of the daemon, and what a request by HTTP has to say.
import { currentToken } from "./token";

/** The folder that this page was loaded from. Behind a reverse proxy it may have a path. */
export function serverUrl(): string {
  return new URL("./", location.href).href;
}

/** The options of a request by HTTP: the daemon's address, and the token of this tab. */
export function atServer(): { base: string; token: string | undefined } {
  return { base: serverUrl(), token: currentToken() };
}
