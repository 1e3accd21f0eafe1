// main.tsx - starts the page: it joins the scene that the address names
// (?scene=NAME&user=NAME&role=viewer; &create makes a new one) and shows it, or shows the start
// page.

// The base style sheet comes first, so that those of the parts override it.
import "./style/base.css";

import { render } from "preact";

import { Session } from "../sdk/index.js";
import type { Role } from "../sdk/types.js";
import { App } from "./app";
import { Editor } from "./editor";
import { serverUrl } from "./serverurl";
import { StartPage } from "./panels/startpage";
import { startTheme } from "./panels/theme";
import { recall } from "./storage";

declare global {
  interface Window {
    /** The editor of this page, for scripts and the console. */
    gizmod?: Editor;
  }
}

const root = document.getElementById("app") as HTMLElement;
const asked = new URLSearchParams(location.search);
const scene = asked.get("scene");
const user = asked.get("user") ?? recall("gizmod.user");

startTheme();
if (scene && user) {
  document.title = `${scene} - gizmod`;
  const session = new Session({
    url: serverUrl(),
    scene,
    user,
    role: (asked.get("role") as Role | null) ?? undefined,
    create: asked.has("create"),
  });
  window.gizmod = new Editor(session);
  render(<App editor={window.gizmod} />, root);
} else {
  render(<StartPage scene={scene} />, root);
}
