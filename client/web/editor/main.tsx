// main.tsx - starts the page: it joins the scene that the address names
// (?scene=NAME&user=NAME&role=viewer; &create makes a new one; &predict=off shows everything only
// when the server has answered) and shows it, or shows the start page.

// Takes the token out of the address before anything else runs.
import { claimsOf, currentToken, keepToken, onNewToken } from "./token";

// The base style sheet comes first, so that those of the parts override it.
import "./style/base.css";

import { render } from "preact";

import { Session } from "../sdk/index.js";
import type { Role } from "../sdk/types.js";
import { App } from "./app";
import { Editor } from "./editor";
import { serverUrl } from "./serverurl";
import { takeWarning } from "./panels/importwarnings";
import { StartPage } from "./panels/startpage";
import { takeLink } from "./people/tokenform";
import { startTheme } from "./panels/theme";
import { recall } from "./storage";

/** Whether build.mjs has put the solvers beside the bundle. */
declare const PREDICTS: boolean;

declare global {
  interface Window {
    /** The editor of this page, for scripts and the console. */
    gizmod?: Editor;
  }
}

/** What fits into 64 bytes. The server itself reads the name of a token. */
const NAME_LENGTH_MAX = 16;

const root = document.getElementById("app") as HTMLElement;
const asked = new URLSearchParams(location.search);
const scene = asked.get("scene");
const user =
  claimsOf(currentToken())?.name?.slice(0, NAME_LENGTH_MAX) ??
  asked.get("user") ??
  recall("gizmod.user");

startTheme();
if (scene && user) {
  document.title = `${scene} - gizmod`;
  const session = new Session({
    url: serverUrl(),
    scene,
    user,
    token: currentToken(),
    role: (asked.get("role") as Role | null) ?? undefined,
    create: asked.has("create"),
    predict: PREDICTS && asked.get("predict") !== "off",
  });
  const editor = (window.gizmod = new Editor(session));
  onNewToken((token) => void takeLink(editor, token));
  const warning = takeWarning(scene);
  if (warning) editor.say("warn", warning);
  render(<App editor={editor} />, root);
} else {
  onNewToken((token) => {
    keepToken(token);
    location.reload();
  });
  render(<StartPage scene={scene} />, root);
}
