// session.js - one user in one scene. It keeps what the server sends and passes it on as events.
// What the user does is sent to the server and changes nothing here until the server confirms it.
// What belongs to a session at the server (camera, tool, selection) is sent again after a
// reconnect.
import { socketUrl } from "./address.js";
import { Connection, GizmodError, makeKey } from "./connection.js";
import { Emitter } from "./emitter.js";
import { SceneModel } from "./scene.js";
import { ShownScene } from "./shown.js";
import { SessionToken, tokenExpiry, tokenText } from "./token.js";

/** @import {Access, Box, Camera, Checkpoint, ConnectOptions, Done, Edit} from "./types.js" */
/** @import {Gizmo, Hit, Id, NewNode, NodeChange, Note, PathPoint, Person} from "./types.js" */
/** @import {Place, Ray, Role, Status, TokenOption, Tool, Vec2, Vec3} from "./types.js" */

const NO_WEBSOCKET =
  "there is no global WebSocket (Node has one from version 22 on): pass one, for example that of " +
  'the package ws: import WebSocket from "ws"; connect({ ..., WebSocket })';

const DISCARDED =
  "the edit was made to a newer state of the scene than the server now has, and was discarded";

/**
 * @typedef {object} SessionEvents
 * @property {Status} status the state of the connection has changed
 * @property {number} unsaved the number of edits that the server has not stored yet
 * @property {Gizmo | null} gizmo what is to be drawn; null for none
 * @property {number[]} view this session's own view, after an orbit at the server
 * @property {Edit} edit an edit by anybody was stored by the server
 * @property {readonly Person[]} people everybody who is here, after a change
 * @property {readonly Id[]} selection this session's selection, in the order of selecting
 * @property {readonly Note[]} notes all notes, after a change
 * @property {readonly Checkpoint[]} checkpoints all checkpoints, after a change
 * @property {GizmodError} error an error of the server about a message that asked for no answer
 */

/** @extends {Emitter<SessionEvents>} */
export class Session extends Emitter {
  /** The present scene. Its `change` event comes once for each frame of the server. */
  scene = new SceneModel();
  /** @type {Status} */
  status = { phase: "connecting" };
  /**
   * The number of this session; another one after each reconnect. 0 before the first connection.
   */
  id = 0;
  /** @type {Role} the role that the server grants */
  role = "viewer";
  /** Why nobody can edit the scene now, in the server's words; empty if it can be edited. */
  readOnly = "";
  /**
   * The limits that the server sent in `welcome`.
   * @type {{ message_bytes?: number, messages_per_s?: number, nodes?: number }}
   */
  limits = {};
  /** Name and version of the server. */
  server = "";
  /** @type {Gizmo | null} */
  gizmo = null;
  /** @type {readonly Id[]} */
  selection = [];
  /** The tool as it was set so far, or the server's defaults. @type {Tool} */
  tool = {
    mode: "translate",
    space: "world",
    pivot: "median",
    snap: { on: false, absolute: false },
  };
  /** @type {Camera | null} */
  camera = null;
  /** Whether `shown` draws what others move from a buffer where the network is uneven. */
  smooth = true;

  #options;
  #connection;
  #token;
  /** The user as the server says, which may be another one than the options say. */
  #user = "";
  #epoch = 0;
  /** @type {string | undefined} */
  #secret;
  #lastEdit = 0;
  /** The part of the scene that is of interest; null for all of it. @type {object | null} */
  #part = null;
  /**
   * The epoch of the state in `scene`: after a reconnect only the changes since then are missing.
   */
  #whole = false;
  #pointerN = 0;
  /**
   * The number of `select` requests without an answer: until they are answered presence may contain
   * the previous selection.
   */
  #selecting = 0;
  /** The press orbits the view: its end is not an edit. */
  #orbiting = false;
  /** The deltas of a state that is not complete yet. @type {any[]} */
  #coming = [];
  /** @type {Map<number, Person>} */
  #people = new Map();
  /** @type {Map<number, Note>} */
  #notes = new Map();
  /** @type {Map<string, Checkpoint>} */
  #checkpoints = new Map();
  /** @type {ShownScene | undefined} */
  #shown;
  /** @type {Promise<void>} */
  #ready;
  /** @type {{ resolve: () => void, reject: (error: Error) => void }} */
  #first = { resolve: () => {}, reject: () => {} };

  /** @param {ConnectOptions} options */
  constructor(options) {
    super();
    const WebSocketClass = options.WebSocket ?? globalThis.WebSocket;
    if (!WebSocketClass) throw new TypeError(NO_WEBSOCKET);
    this.#options = options;
    this.#ready = new Promise((resolve, reject) => (this.#first = { resolve, reject }));
    this.#ready.catch(() => {});
    this.#user = options.user;
    this.#token = new SessionToken(options.token, (token) => this.#sendToken(token));
    this.#connection = new Connection(socketUrl(options.url), WebSocketClass, {
      hello: () => this.#hello(),
      holds: () => this.status.phase === "connecting" && this.status.older === true,
      welcomed: (welcome) => this.#welcomed(welcome),
      received: (messages) => this.#received(messages),
      status: (status) => this.#setStatus(status),
      unsaved: () => this.emit("unsaved", this.unsaved),
      token: this.#token,
    });
  }

  /** Resolves when the scene has arrived for the first time; rejects if the server refuses. */
  get ready() {
    return this.#ready;
  }

  /** The user, once the server has said who that is: a token says it, or `options`. */
  get user() {
    return this.#user;
  }

  /** The name that was given to `connect`: what a guest's requests by HTTP say as `user`. */
  get displayName() {
    return this.#options.user;
  }

  /** When the token expires, in Unix seconds; undefined without a token. */
  get expires() {
    return tokenExpiry(this.#token.text);
  }

  /** What gives the token, for requests by HTTP. @returns {TokenOption | undefined} */
  get token() {
    return this.#token.option;
  }

  get sceneName() {
    return this.#options.scene;
  }

  /** The scene as it is to be drawn, see `smooth`. */
  get shown() {
    return (this.#shown ??= new ShownScene(this.scene, this));
  }

  /**
   * The number of edits that the server has not answered yet. They survive a lost connection, but
   * not the end of the page.
   */
  get unsaved() {
    return this.#connection.unsaved;
  }

  /**
   * The number of these edits that were made to a newer state than the server now has, for example
   * because a backup was restored. They wait until `applyHeld` or `discardHeld`; the event
   * `unsaved` follows when the number changes.
   */
  get held() {
    return this.#connection.held;
  }

  /**
   * Everybody who is here, this session included, in the order of joining.
   * @returns {readonly Person[]}
   */
  get people() {
    return [...this.#people.values()];
  }

  /** Ascending by id. @returns {readonly Note[]} */
  get notes() {
    return [...this.#notes.values()].sort((a, b) => a.id - b.id);
  }

  /**
   * The checkpoints, ascending by seq, as far as the server has sent them.
   * @returns {readonly Checkpoint[]}
   */
  get named() {
    return [...this.#checkpoints.values()].sort((a, b) => a.seq - b.seq || a.made - b.made);
  }

  /** The other person who holds this node, if any. @param {Id} id @returns {Person | undefined} */
  holder(id) {
    for (const person of this.#people.values())
      if (!person.me && person.locks?.includes(id)) return person;
    return undefined;
  }

  /** Applies the held edits to the server's present state, without their `base`. */
  applyHeld() {
    this.#connection.sendHeld();
  }

  /** Discards the held edits: each one rejects as a `conflict`. */
  discardHeld() {
    this.#connection.dropHeld(new GizmodError("conflict", DISCARDED));
  }

  retry() {
    this.#connection.retry();
  }

  /**
   * Goes on with another token: for the running session, if it is of the same user, or for the
   * next connection, if there is none. Edits that wait are then sent. Rejects if the server refuses
   * the token; the running session keeps its own then.
   * @param {TokenOption} token
   */
  async setToken(token) {
    const text = await tokenText(token);
    if (text === undefined) throw new TypeError("token: is a text, or a function that gives one");
    await this.#sendToken(text);
    this.#token.replace(token);
    this.#token.watch();
    this.#connection.retry();
  }

  close() {
    this.#connection.close();
  }

  // ---- what belongs to the session ----

  /** @param {Camera} camera */
  setCamera(camera) {
    this.camera = {
      ...camera,
      view: Array.from(camera.view),
      proj: Array.from(camera.proj),
      viewport: Array.from(camera.viewport),
    };
    this.#connection.send({ op: "camera", ...this.camera });
  }

  /** @param {Tool} tool only the fields that change */
  setTool(tool) {
    this.tool = { ...this.tool, ...tool, snap: { ...this.tool.snap, ...tool.snap } };
    this.#connection.send({ op: "tool", ...tool });
  }

  /**
   * Without a connection the selection changes at once; the server receives it after the reconnect.
   * @param {readonly Id[]} nodes
   * @param {"set" | "add" | "remove" | "toggle"} [how]
   */
  async select(nodes, how = "set") {
    if (!this.#connection.open && this.status.phase !== "closed")
      return this.#setSelection(afterSelect(this.selection, nodes, how));
    this.#selecting++;
    try {
      await this.#ask({ op: "select", nodes, how });
      this.#setSelection(afterSelect(this.selection, nodes, how));
    } finally {
      this.#selecting--;
    }
  }

  /**
   * Sets the part of the scene that `scene` contains: these nodes with all below them, those in a
   * box, or those that the camera may see; without any of these, the whole scene.
   * @param {{ nodes?: readonly Id[], box?: Box, view?: boolean }} [part]
   */
  async interest(part = {}) {
    await this.#ask({ op: "interest", ...part });
    const some = part.nodes !== undefined || part.box !== undefined || part.view === true;
    this.#part = some ? part : null;
    this.#whole = false;
  }

  // ---- the pointer ----

  /** @param {Place} place */
  hover(place) {
    this.#connection.send({ op: "pointer", phase: "hover", ...place });
  }

  /** Like `hover`, but resolves when `gizmo.hover` is up to date. @param {Place} place */
  async probe(place) {
    await this.#ask({ op: "pointer", phase: "hover", ...place });
  }

  /**
   * Grabs the handle under the pointer; if there is none selects the node there.
   * @param {Place} place
   * @returns {Promise<{ handle?: string, hit?: Id }>}
   */
  async down(place) {
    this.#orbiting = this.tool.mode === "orbit" || place.mods?.includes("orbit") === true;
    const orbiting = this.#orbiting;
    const { handle, hit } = await this.#ask({
      op: "pointer",
      phase: "down",
      n: ++this.#pointerN,
      ...place,
    });
    const adds = place.mods?.includes("add");
    const selects = handle === undefined && !orbiting && (hit !== undefined || !adds);
    if (selects)
      this.#setSelection(
        afterSelect(this.selection, hit === undefined ? [] : [hit], adds ? "add" : "set"),
      );
    return { handle, hit };
  }

  /** @param {Place} place */
  move(place) {
    this.#connection.send({ op: "pointer", phase: "move", n: ++this.#pointerN, ...place });
  }

  /**
   * Ends a drag as one edit. Resolves when the server has stored it.
   * @param {Place} [place]
   * @returns {Promise<Done>}
   */
  async up(place = {}) {
    const key = this.#orbiting ? undefined : makeKey();
    return this.#ask({ op: "pointer", phase: "up", n: ++this.#pointerN, key, ...place });
  }

  /** Cancels the running drag. */
  async cancel() {
    await this.#ask({ op: "pointer", phase: "cancel" });
  }

  /**
   * Starts a drag with a named handle; with `value` it sets the amount in numbers.
   * @param {string} handle
   * @param {Place & { nodes?: readonly Id[], value?: number[] }} more
   */
  async grab(handle, more) {
    this.#orbiting = false;
    return this.#ask({ op: "grab", handle, ...more });
  }

  /**
   * Scales the selection, or moves the camera if the mode is `orbit`.
   * @param {number} dy notches
   * @param {Vec2} [at]
   */
  wheel(dy, at) {
    this.#connection.send({ op: "wheel", dy, at });
  }

  // ---- edits: each resolves once it is on stable storage ----

  /** @param {NodeChange[]} nodes @param {{ base?: number }} [more] @returns {Promise<Done>} */
  async set(nodes, more = {}) {
    return this.#edit({ op: "set", nodes, ...this.#baseWhileAway(), ...more });
  }

  /** @param {NewNode[]} nodes @returns {Promise<Done & { ids: Id[] }>} */
  async create(nodes) {
    return this.#edit({ op: "create", nodes });
  }

  /** @param {readonly Id[]} nodes deleted with all below them @returns {Promise<Done>} */
  async delete(nodes) {
    return this.#edit({ op: "delete", nodes });
  }

  /**
   * Undoes this user's latest edit.
   * @param {{ force?: boolean }} [more]
   * @returns {Promise<Done>}
   */
  async undo(more = {}) {
    return this.#edit({ op: "undo", ...more });
  }

  /** @param {{ force?: boolean }} [more] @returns {Promise<Done>} */
  async redo(more = {}) {
    return this.#edit({ op: "redo", ...more });
  }

  /**
   * Reverts one edit.
   * @param {number} edit
   * @param {{ force?: boolean }} [more]
   * @returns {Promise<Done>}
   */
  async revert(edit, more = {}) {
    return this.#edit({ op: "revert", edit, ...more });
  }

  /**
   * Restores a state of the past.
   * @param {{ seq: number } | { checkpoint: string }} moment
   * @returns {Promise<Done>}
   */
  async restore(moment) {
    return this.#edit({ op: "restore", ...moment });
  }

  /**
   * Writes a note, or changes the one with this `id`.
   * @param {{ id?: number, text?: string, node?: Id, point?: Vec3, reply?: number, done?: boolean,
   * gone?: true }} note
   * @returns {Promise<number>} its id
   */
  async note(note) {
    return (await this.#edit({ op: "note", ...note })).note;
  }

  // ---- questions ----

  /**
   * Picks nodes, front first: by their bounds or, with `surface`, by their triangles; the first one
   * is the node that a press takes.
   * @param {{ at?: Vec2, ray?: Ray, rect?: [number, number, number, number], inside?: boolean,
   * surface?: boolean }} where
   * @returns {Promise<Hit[]>}
   */
  async pick(where) {
    const parts = await this.#connection.ask({ op: "pick", ...where });
    return parts.flatMap((part) => part.hits);
  }

  /**
   * Edits, newest first.
   * @param {{ node?: Id, user?: string, since?: number, before?: number, limit?: number, changes?:
   *   boolean }} [which]
   * @returns {Promise<Edit[]>}
   */
  async history(which = {}) {
    const parts = await this.#connection.ask({ op: "history", ...which });
    return wholeEdits(parts.flatMap((part) => part.edits)).map(asEdit);
  }

  /**
   * The whole scene at a moment of the past.
   * @param {{ seq: number } | { time: number } | { checkpoint: string }} moment
   * @returns {Promise<SceneModel>}
   */
  async at(moment) {
    const parts = await this.#connection.ask({ op: "at", ...moment });
    const model = new SceneModel();
    model.apply(
      parts.map((part, i) => ({ from: i === 0 ? 0 : part.seq, seq: part.seq, nodes: part.nodes })),
    );
    return model;
  }

  /**
   * The recorded path of a node, relative to its parent of the time.
   * @param {Id} node
   * @param {{ since?: number, before?: number, limit?: number }} [which]
   * @returns {Promise<PathPoint[]>}
   */
  async path(node, which = {}) {
    return (await this.#connection.ask({ op: "path", node, ...which })).flatMap(
      (part) => part.path,
    );
  }

  /** Requests the checkpoints again. @returns {Promise<Checkpoint[]>} ascending by seq */
  async checkpoints() {
    return (await this.#connection.ask({ op: "checkpoints" })).flatMap((part) => part.checkpoints);
  }

  /**
   * Names the state after `seq`, by default the present one; with `gone` deletes the checkpoint.
   * @param {string} name
   * @param {{ seq?: number, gone?: true }} [more]
   * @returns {Promise<number>} its seq
   */
  async checkpoint(name, more = {}) {
    return (await this.#ask({ op: "checkpoint", name, ...more })).seq;
  }

  /**
   * Who may what in the scene, beside what their tokens give them. For admins.
   * @returns {Promise<Access[]>}
   */
  async accesses() {
    return (await this.#connection.ask({ op: "accesses" })).flatMap((part) => part.accesses);
  }

  /**
   * Gives the users whose names a pattern matches (`*` is any characters or none, `?` is one) a
   * role in the scene, or, with null, takes away what the pattern had. For admins.
   * @param {string} user
   * @param {Role | null} role
   * @returns {Promise<void>} once it is on stable storage
   */
  async access(user, role) {
    await this.#ask({ op: "access", user, ...(role === null ? { gone: true } : { role }) });
  }

  /**
   * An invitation: a token by which several people may come to the scene as guests. For admins.
   * @param {Role} role viewer or editor
   * @param {number} seconds for which it is good
   * @returns {Promise<string>}
   */
  async link(role, seconds) {
    return (await this.#ask({ op: "link", role, expires_s: seconds })).token;
  }

  // ---- inside ----

  /** @param {any} message */
  async #ask(message) {
    return (await this.#connection.ask(message))[0];
  }

  /** @param {string} token */
  async #sendToken(token) {
    try {
      if (this.#connection.open) await this.#ask({ op: "token", token });
    } catch (error) {
      // The next connection begins with it.
      if (/** @type {GizmodError} */ (error).code !== "lost") throw error;
    }
    this.#token.text = token;
  }

  /** @param {any} message */
  #edit(message) {
    return this.#ask({ ...message, key: makeKey() });
  }

  /**
   * The `base` of an edit that is made offline: it must not overwrite edits that this session has
   * not received. The stored state survives a crash of the server, a later state may not; and the
   * server refuses a `base` beyond the scene.
   */
  #baseWhileAway() {
    return this.status.phase === "online" ? {} : { base: this.scene.saved };
  }

  #hello() {
    const { scene, user, role, create } = this.#options;
    const { text: token } = this.#token;
    const stand = {
      epoch: this.#epoch,
      seq: this.#whole ? this.scene.seq : 0,
      edit: this.#lastEdit,
      secret: this.#secret,
    };
    const hello = {
      scene,
      user,
      role,
      token,
      create,
      resume: stand.epoch === 0 ? undefined : stand,
    };
    if (!this.#part) return [hello];
    const camera = this.camera ? [{ op: "camera", ...this.camera }] : [];
    return [hello, ...camera, { op: "interest", ...this.#part }];
  }

  /** @param {any} welcome */
  #welcomed(welcome) {
    const known = this.#epoch !== 0;
    Object.assign(this, {
      id: welcome.session,
      role: welcome.role,
      readOnly: welcome.read_only ?? "",
      limits: welcome.limits,
      server: welcome.server,
    });
    this.#epoch = welcome.epoch;
    this.#secret = welcome.secret;
    // A stored state is never lost, so the server has another file in the place of the previous
    // one.
    const older = known && !welcome.resumed && welcome.seq < this.scene.saved;
    this.#lastEdit = Math.min(this.#lastEdit, welcome.seq);
    if (!welcome.resumed) this.#whole = false;
    this.#coming = [];
    this.#people.clear();
    this.#notes.clear();
    this.#checkpoints.clear();
    this.#setGizmo(null);
    this.#setStatus({ phase: "connecting", resumed: known && welcome.resumed, older, loaded: 0 });
    if (this.camera) this.#connection.send({ op: "camera", ...this.camera });
    this.#connection.send({ op: "tool", ...this.tool });
    this.#token.watch();
    void this.#selectAgain();
  }

  /** Selects again what still exists of the selection. */
  async #selectAgain() {
    while (this.selection.length > 0) {
      try {
        return await this.select(this.selection);
      } catch (error) {
        const { code, nodes = [] } = /** @type {GizmodError} */ (error);
        // If the connection is lost again, the next one does it.
        if (code !== "unknown_node" || nodes.length === 0) return;
        this.#setSelection(
          this.selection.filter(
            (id) =>
              !nodes.includes(id) && (this.#part !== null || this.scene.get(id) !== undefined),
          ),
        );
      }
    }
  }

  /** @param {any[]} messages */
  #received(messages) {
    const connecting = this.status.phase === "connecting";
    let notes = false,
      checkpoints = false;
    for (const message of messages) {
      if (message.op === "delta") this.#delta(message);
      else if (message.op === "saved") this.scene.saved = message.seq;
      else if (message.op === "gizmo") this.#setGizmo(message);
      else if (message.op === "camera") this.#setView(message.view);
      else if (message.op === "presence") this.#presence(message);
      else if (message.op === "notes") notes = this.#tellNotes(message);
      else if (message.op === "checkpoints") checkpoints = this.#tellCheckpoints(message);
      else if (message.op === "edit") this.#edited(message);
      // The status reports an error that ends the connection.
      else if (message.op === "error" && !message.fatal)
        this.emit("error", new GizmodError(message.code, message.message, message));
    }
    if (messages.some(({ op }) => op === "presence")) this.#tellPeople();
    // The server sends no empty list, so after a reconnect an empty one is reported here.
    const anew = connecting && this.status.phase === "online";
    if (notes || (anew && this.#notes.size === 0)) this.emit("notes", this.notes);
    if (checkpoints || (anew && this.#checkpoints.size === 0)) this.emit("checkpoints", this.named);
  }

  /** @param {any} delta */
  #delta(delta) {
    this.#coming.push(delta);
    if (delta.more) {
      const loaded = this.#coming.reduce((sum, part) => sum + part.nodes.length, 0);
      if (this.status.phase === "connecting") this.#setStatus({ ...this.status, loaded });
      return;
    }
    const deltas = this.#coming;
    this.#coming = [];
    this.scene.apply(deltas);
    this.#whole = this.#part === null;
    if (this.status.phase !== "connecting") return;
    this.#setStatus({ phase: "online", resumed: this.status.resumed, older: this.status.older });
    this.#first.resolve();
  }

  /** @param {any} gizmo */
  #setGizmo(gizmo) {
    const before = this.gizmo;
    this.gizmo = gizmo?.handles?.length > 0 ? gizmo : null;
    if (this.gizmo !== before) this.emit("gizmo", this.gizmo);
  }

  /** @param {number[]} view */
  #setView(view) {
    if (this.camera) this.camera.view = view;
    this.emit("view", view);
  }

  /** @param {any} presence */
  #presence(presence) {
    if (presence.all) this.#people.clear();
    for (const session of presence.left ?? []) this.#people.delete(session);
    for (const person of presence.users)
      this.#people.set(person.session, { ...person, me: person.session === this.id });
  }

  #tellPeople() {
    this.#user = this.#people.get(this.id)?.user ?? this.#user;
    this.emit("people", this.people);
    const mine = this.#people.get(this.id)?.selection;
    if (mine && this.#selecting === 0) this.#setSelection(mine);
  }

  /** @param {readonly Id[]} selection */
  #setSelection(selection) {
    if (
      selection.length === this.selection.length &&
      selection.every((id, i) => id === this.selection[i])
    )
      return;
    this.selection = selection;
    this.emit("selection", selection);
  }

  /** @param {any} told */
  #tellNotes(told) {
    if (told.all) this.#notes.clear();
    for (const id of told.gone ?? []) this.#notes.delete(id);
    for (const note of told.notes) this.#notes.set(note.id, note);
    return !told.more;
  }

  /** @param {any} told */
  #tellCheckpoints(told) {
    if (told.all) this.#checkpoints.clear();
    for (const { gone, ...checkpoint } of told.checkpoints) {
      if (gone) this.#checkpoints.delete(checkpoint.name);
      else this.#checkpoints.set(checkpoint.name, checkpoint);
    }
    return true;
  }

  /** @param {any} told */
  #edited(told) {
    this.#lastEdit = told.seq;
    this.emit("edit", asEdit(told));
  }

  /** @param {Status} status */
  #setStatus(status) {
    this.status = status;
    if (status.phase === "closed") this.#token.stop();
    if (status.phase === "closed")
      this.#first.reject(
        new GizmodError(
          status.code ?? "closed",
          status.reason ?? "the connection is closed",
          status,
        ),
      );
    if (status.phase === "offline" || status.phase === "closed") this.#setGizmo(null);
    this.emit("status", status);
  }
}

/**
 * An edit of very many nodes goes on in the next answer, under the same id: puts it together.
 * @param {any[]} told @returns {any[]}
 */
function wholeEdits(told) {
  const edits = [];
  for (const part of told) {
    const last = edits.at(-1);
    if (last?.id !== part.id) {
      edits.push({ ...part });
    } else {
      last.nodes = last.nodes.concat(part.nodes);
      if (part.changes) last.changes = last.changes.concat(part.changes);
    }
  }
  return edits;
}

/** On the wire a single typed number may stand without a list. @param {any} told @returns {Edit} */
const asEdit = (told) => (typeof told.value === "number" ? { ...told, value: [told.value] } : told);

/**
 * The selection after a `select`.
 * @param {readonly Id[]} before
 * @param {readonly Id[]} nodes
 * @param {string} how
 * @returns {readonly Id[]}
 */
function afterSelect(before, nodes, how) {
  if (how === "set") return nodes;
  const rest = before.filter((id) => !nodes.includes(id));
  if (how === "remove") return rest;
  return [...rest, ...(how === "toggle" ? nodes.filter((id) => !before.includes(id)) : nodes)];
}
