// session.js - one user in one scene. It keeps the server's state and reports changes as events.
// The user's actions are sent to the server. With a prediction (prediction.js) they show at once
// and are compared with the server's results; without one they show when the server confirms them.
// Camera, tool and selection, which the server keeps for a session, are sent again after a
// reconnect.
import { socketUrls } from "./address.js";
import { asEdit, wholeEdits } from "./answers.js";
import { PackedReader } from "./packed.js";
import { Connection, GizmodError, makeKey } from "./connection.js";
import { Emitter } from "./emitter.js";
import { Hold } from "./hold.js";
import { Prediction } from "./prediction.js";
import { Roster } from "./roster.js";
import { SceneModel } from "./scene.js";
import { Selection } from "./selection.js";
import { ShownScene } from "./shown.js";
import { Solver } from "./solver.js";
import { SessionToken, tokenExpiry, tokenText } from "./token.js";
import { Views } from "./views.js";

/** @import {Access, Box, Camera, Checkpoint, ConnectOptions, Done, Edit} from "./types.js" */
/** @import {Gizmo, Hit, Id, NewNode, NodeChange, Note, PathPoint, Person} from "./types.js" */
/** @import {Place, Ray, Role, Status, TokenOption, Tool, Transform} from "./types.js" */
/** @import {Vec2, Vec3} from "./types.js" */
/** @import {Drag, Gesture, Pending, Wheel} from "./pending.js" */
/** @import {Choice} from "./selection.js" */

const NO_WEBSOCKET =
  "there is no global WebSocket (Node has one from version 22 on): pass one, for example that of " +
  'the package ws: import WebSocket from "ws"; connect({ ..., WebSocket })';

/** As at the server: a wheel that rests so long is one edit. */
const WHEEL_MS = 500;

const DISCARDED =
  "the edit was made to a newer state of the scene than the server now has, and was discarded";

/**
 * @typedef {object} SessionEvents
 * @property {Status} status the state of the connection has changed
 * @property {boolean} predicting whether what the user does shows at once
 * @property {number} unsaved the number of edits that the server has not stored yet
 * @property {Gizmo | null} gizmo what is to be drawn; null for none
 * @property {number[]} view this session's own view, after an orbit
 * @property {Edit} edit an edit by anybody was stored by the server
 * @property {readonly Person[]} people who is here, after a change: the first few who came, and all
 *   who did something that others see
 * @property {number} here how many are here, those included who only watch, after a change
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
  /** The user that the server sent, which may differ from the options. */
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
  /** After a loss, until the server has the selection again: what it tells of it is empty. */
  #selectsAgain = false;
  /** The list that presence told last. @type {readonly Id[] | undefined} */
  #toldSelection;
  #choices = new Selection();
  /** The press orbits the view: its end is not an edit. */
  #orbiting = false;
  /** @type {Prediction | null} */
  #prediction = null;
  /** A drag runs that only the server knows. */
  #served = false;
  /** Those that run, and what shows of them. @type {Map<Hold, Pending | null>} */
  #holds = new Map();
  #lastHold = 0;
  /** The gizmo that the server sent. @type {Gizmo | null} */
  #told = null;
  #views = new Views();
  /** What the session was called at the server in this epoch. @type {Set<number>} */
  #mine = new Set();
  /** The wheel that turns without the server. @type {Wheel | null} */
  #wheel = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #wheelRests;
  #packed = new PackedReader((id) => this.scene.toldNow(id));
  /** The deltas of a state that is not complete yet. @type {any[]} */
  #coming = [];
  #roster = new Roster();
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
    this.#connection = new Connection(socketUrls(options.url), WebSocketClass, {
      hello: () => this.#hello(),
      whole: () => this.status.phase === "online",
      drags: () => !this.#prediction || this.#served || this.#prediction.dragging,
      holds: () => this.status.phase === "connecting" && this.status.older === true,
      welcomed: (welcome) => this.#welcomed(welcome),
      received: (messages) => this.#received(messages),
      status: (status) => this.#setStatus(status),
      unsaved: () => this.emit("unsaved", this.unsaved),
      token: this.#token,
    });
    if (options.predict !== false) void this.#predict(options.predict ?? true);
  }

  /** Resolves when the scene has arrived for the first time; rejects if the server refuses. */
  get ready() {
    return this.#ready;
  }

  /** The user, once the server has sent it: that of the token, or of `options`. */
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
   * The number of edits that the server has not answered yet, a wheel included that turns without
   * the server. They survive a lost connection, but not the end of the page.
   */
  get unsaved() {
    return this.#connection.unsaved + (this.#wheel ? 1 : 0);
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
    return this.#roster.people;
  }

  /** The number of people here: `people`, and those who only watch. It may be slightly late. */
  get here() {
    return this.#roster.here;
  }

  /** Ascending by id. @returns {readonly Note[]} */
  get notes() {
    return this.#roster.notes;
  }

  /**
   * The checkpoints, ascending by seq, as far as the server has sent them.
   * @returns {readonly Checkpoint[]}
   */
  get named() {
    return this.#roster.checkpoints;
  }

  /** The other person who holds this node, if any. @param {Id} id @returns {Person | undefined} */
  holder(id) {
    return this.#roster.holder(id);
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
   * Sets another token: for the running session, if it is of the same user, or for the next
   * connection, if there is none. Edits that wait are then sent. Rejects if the server refuses the
   * token; the running session keeps its own then.
   * @param {TokenOption} token
   */
  async setToken(token) {
    const text = await tokenText(token);
    if (text === undefined)
      throw new TypeError("token: must be a string, or a function that returns one");
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
    this.#prediction?.setCamera(this.camera);
    this.#showGizmo();
  }

  /** @param {Tool} tool only the fields that change */
  setTool(tool) {
    this.tool = { ...this.tool, ...tool, snap: { ...this.tool.snap, ...tool.snap } };
    this.#connection.send({ op: "tool", ...tool });
    this.#prediction?.setTool(this.tool);
    this.#showGizmo();
  }

  /**
   * The selection changes at once, if the scene has these nodes. If the server refuses it, it goes
   * back.
   * @param {readonly Id[]} nodes
   * @param {"set" | "add" | "remove" | "toggle"} [how]
   */
  async select(nodes, how = "set") {
    const choice = { nodes, how };
    if (!this.#connection.open && this.status.phase !== "closed") return this.#choose(choice);
    this.#expect(choice);
    try {
      await this.#ask({ op: "select", nodes, how }, () => {
        this.#selectsAgain = false;
        this.#choose(choice);
      });
    } catch (error) {
      if (!this.#isOnlyLost(error)) throw error;
      this.#choose(choice);
    } finally {
      this.#unexpect(choice);
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

  /** Whether what the user does shows at once, before the server answers. */
  get predicting() {
    return this.#prediction !== null;
  }

  /** How often the server had nodes elsewhere than this page showed them before. */
  get corrections() {
    return this.#prediction?.corrections ?? 0;
  }

  /**
   * The handle of the gizmo at a place, which a press there takes.
   * @param {Place} place
   * @returns {string | null | undefined} null for none, undefined if only the server knows
   */
  handleAt(place) {
    return this.#prediction?.knows && !this.#served ? this.#prediction.pick(place) : undefined;
  }

  /** @param {Place} place */
  hover(place) {
    this.#connection.send({ op: "pointer", phase: "hover", ...place });
    this.#prediction?.hover(place);
    this.#showGizmo();
  }

  /** Like `hover`, but resolves when `gizmo.hover` is up to date. @param {Place} place */
  async probe(place) {
    if (this.handleAt(place) !== undefined) this.hover(place);
    else await this.#ask({ op: "pointer", phase: "hover", ...place });
  }

  /**
   * Grabs the handle under the pointer; if there is none selects the node there.
   * @param {Place} place
   * @returns {Promise<{ handle?: string, hit?: Id }>}
   */
  async down(place) {
    this.#orbiting = this.tool.mode === "orbit" || place.mods?.includes("orbit") === true;
    if (this.#orbiting) return this.#orbit(place);
    const known = this.handleAt(place);
    if (known) return this.grab(known, { ...place, mods: [...(place.mods ?? []), "picked"] });
    const adds = place.mods?.includes("add");
    const { handle, hit } = await this.#press(place, ({ handle, hit }) => {
      if (handle === undefined && (hit !== undefined || !adds))
        this.#choose({ nodes: hit === undefined ? [] : [hit], how: adds ? "add" : "set" });
    });
    if (handle !== undefined) this.#serve(true);
    return { handle, hit };
  }

  /** @param {Place} place */
  move(place) {
    const n = ++this.#pointerN;
    if (this.#prediction?.away)
      this.#connection.send({ op: "pointer", phase: "hover", n, ...place });
    else this.#connection.sendMove(n, place);
    if (this.#served) return;
    this.#prediction?.move(n, place);
    this.#foreseeView(this.#prediction?.turn(place));
    this.#showGizmo();
  }

  /**
   * Ends a drag as one edit. Resolves when the server has stored it.
   * @param {Place} [place]
   * @returns {Promise<Done>}
   */
  async up(place = {}) {
    const n = ++this.#pointerN;
    const key = this.#orbiting ? undefined : makeKey();
    const message = { op: "pointer", phase: "up", n, key, ...place };
    if (this.#prediction?.orbiting) return this.#endOrbit(message);
    const drag = this.#drop(n, place);
    if (!drag) return this.#ask(message);
    if (drag.away) return this.#land(drag);
    return this.#settle(
      drag,
      this.#connection.ask(message, (ok) => this.#landing(drag, ok)),
    );
  }

  /** Cancels the running drag. */
  async cancel() {
    const view = this.#prediction?.endOrbit();
    if (view) this.#foreseeView(view);
    const n = ++this.#pointerN;
    const drag = this.#prediction?.cancel(n);
    this.#serve(false);
    if (drag?.alone) return this.#prediction?.answered(drag, {});
    if (drag?.away) return void (await this.#land(drag));
    try {
      await this.#ask({ op: "pointer", phase: "cancel", n });
      if (drag) this.#prediction?.answered(drag, {});
    } catch (error) {
      if (drag && this.#isOnlyLost(error)) return void (await this.#land(drag));
      if (drag) this.#prediction?.refused(drag);
      if (!view || !this.#isOnlyLost(error)) throw error;
    }
  }

  /**
   * Starts a drag with a named handle; with `value` it sets the amount in numbers.
   * @param {string} handle
   * @param {Place & { nodes?: readonly Id[], value?: number[] }} more
   * @returns {Promise<{ handle?: string }>}
   */
  async grab(handle, { nodes, ...more }) {
    this.#orbiting = false;
    const n = more.value === undefined ? this.#pointerN : ++this.#pointerN;
    const choice = nodes && { nodes, how: "set" };
    this.#restWheel();
    if (!more.value) this.#landAway();
    const runs = this.#served || this.#prediction?.dragging === true;
    if (choice) this.#expect(choice);
    const drag = this.#served ? null : this.#prediction?.grab(handle, more, n);
    if (!runs) this.#serve(!drag);
    const isHere = this.#connection.open && (runs || !this.#connection.owesEnd);
    if (drag && !isHere && !runs) drag.alone = true;
    if (drag && !isHere) drag.goAway(this.scene.saved);
    const chooses = () => choice && this.#choose(choice);
    try {
      if (drag?.away) chooses();
      else
        await this.#ask({ op: "grab", handle, nodes, ...more, ...(more.value && { n }) }, chooses);
    } catch (error) {
      if (!drag || !this.#isOnlyLost(error)) {
        this.#ungrab(drag, runs, n);
        throw error;
      }
      chooses();
    } finally {
      if (choice) this.#unexpect(choice);
    }
    return { handle };
  }

  /**
   * Scales the selection, or moves the camera if the mode is `orbit`.
   * @param {number} dy notches
   * @param {Vec2} [at]
   */
  wheel(dy, at) {
    const message = { op: "wheel", dy, at };
    const orbits = this.tool.mode === "orbit";
    const view = orbits && this.#prediction?.dolly(dy);
    if (view) this.#foreseeView(view);
    const wheel = orbits || this.#served ? null : this.#prediction?.wheel(dy);
    this.#showGizmo();
    if (!wheel) this.#connection.send(message);
    else if (this.#connection.open && !wheel.away) void this.#turn(wheel, message);
    else this.#turnAway(wheel);
  }

  /**
   * Holds nodes, so that a program can pose them: what it says is shown to all like a drag, and
   * becomes one edit. Others cannot change the nodes meanwhile; `set` by this session can. Several
   * holds may run at once.
   *     const hold = await session.hold([joint]);
   *     tracker.on("pose", ({ t, r }) => hold.pose([{ id: joint, t, r }]));
   *     await hold.release();
   * @param {readonly Id[]} nodes
   * @param {{ path?: boolean }} [more] `path` false: only where the nodes began and ended is kept
   * @returns {Promise<Hold>}
   */
  async hold(nodes, more = {}) {
    const number = ++this.#lastHold;
    this.#restWheel();
    await this.#ask({ op: "hold", hold: number, nodes, ...more });
    const pending = this.#prediction?.hold() ?? null;
    /** @type {Hold} */
    const hold = new Hold(nodes, {
      pose: (poses) => {
        if (pending) this.#prediction?.pose(pending, poses);
        this.#connection.send({ op: "pose", hold: number, nodes: poses });
      },
      end: (op) => this.#endHold(hold, pending, { op, hold: number }),
    });
    this.#holds.set(hold, pending);
    return hold;
  }

  /**
   * @param {Hold} hold
   * @param {Pending | null} pending
   * @param {any} message
   * @returns {Promise<Done>}
   */
  async #endHold(hold, pending, message) {
    this.#holds.delete(hold);
    if (message.op === "release")
      return this.#settle(pending, this.#connection.ask({ ...message, key: makeKey() }));
    if (pending) this.#prediction?.refused(pending);
    return this.#ask(message);
  }

  /**
   * The server has ended holds, or is about to.
   * @param {string} why
   * @param {(hold: Hold) => boolean} [which]
   */
  #loseHolds(why, which = () => true) {
    for (const [hold, pending] of this.#holds) {
      if (!which(hold)) continue;
      this.#holds.delete(hold);
      hold.lose(why);
      if (pending) this.#prediction?.refused(pending);
    }
  }

  // ---- edits: each resolves once it is on stable storage ----

  /** @param {NodeChange[]} nodes @param {{ base?: number }} [more] @returns {Promise<Done>} */
  async set(nodes, more = {}) {
    this.#restWheel();
    const edit = this.#prediction?.set(nodes) ?? null;
    const base = this.#baseWhileAway(nodes.map(({ id }) => id));
    return this.#settle(
      edit,
      this.#connection.ask({ op: "set", nodes, key: makeKey(), ...base, ...more }),
    );
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
   * Edits, newest first. With `alone`, the `nodes` and `changes` of each edit are about `node`
   * only.
   * @param {{ node?: Id, user?: string, since?: number, before?: number, limit?: number, changes?:
   *   boolean, alone?: boolean }} [which]
   * @returns {Promise<Edit[]>}
   */
  async history(which = {}) {
    const parts = await this.#connection.ask({ op: "history", ...which });
    return wholeEdits(parts.flatMap((part) => part.edits));
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
   * The list of people, those included who only watch: of the sessions after `after` the first
   * `limit`, 1000 by default. What they do is in `people` alone.
   * @param {{ after?: number, limit?: number }} [which]
   * @returns {Promise<Person[]>} ascending by session
   */
  async who(which = {}) {
    const { people } = await this.#ask({ op: "who", ...which });
    return people.map((/** @type {Person} */ person) => ({
      ...person,
      me: person.session === this.id,
    }));
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
   * The roles that the scene itself gives to users, besides their tokens. For admins.
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

  /** @param {any} message @param {(answer: any) => void} [heard] as Connection.ask has it */
  async #ask(message, heard) {
    return (await this.#connection.ask(message, undefined, heard))[0];
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
    this.#restWheel();
    return this.#ask({ ...message, key: makeKey() });
  }

  /**
   * The `base` of an edit that is made offline: it must not overwrite edits that this session has
   * not received. The stored state survives a crash of the server, a later state may not; and the
   * server refuses a `base` beyond the scene.
   * @param {readonly Id[]} ids
   */
  #baseWhileAway(ids) {
    if (this.status.phase === "online") return {};
    const seq = this.scene.saved;
    if (!this.#prediction) return { base: seq };
    const known = { seq, told: ids.map((id) => this.scene.told(id)) };
    return { base: () => this.#baseSince(ids, known) };
  }

  /**
   * The `base` for nodes of which this was known. The server may have changed them after that on
   * behalf of this session: what was on its way when the connection was lost, and the end of the
   * drag that ran then.
   * @param {readonly Id[]} ids
   * @param {{ seq: number, told: (Transform | undefined)[] }} known
   */
  #baseSince(ids, known) {
    const isOwn = (/** @type {Id} */ id) => this.#mine.has(this.scene.get(id)?.by ?? 0);
    const isSame = (/** @type {Id} */ id, /** @type {number} */ i) =>
      JSON.stringify(this.scene.told(id)) === JSON.stringify(known.told[i]);
    return ids.every((id, i) => isOwn(id) || isSame(id, i)) ? this.scene.seq : known.seq;
  }

  #hello() {
    const { scene, user, role, create, form = "packed" } = this.#options;
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
      form,
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
    if (welcome.epoch !== this.#epoch) this.#mine.clear();
    this.#mine.add(this.id);
    this.#epoch = welcome.epoch;
    this.#secret = welcome.secret;
    // A stored state is never lost, so the server has another file in the place of the previous
    // one.
    const older = known && !welcome.resumed && welcome.seq < this.scene.saved;
    this.#lastEdit = Math.min(this.#lastEdit, welcome.seq);
    if (!welcome.resumed) this.#whole = false;
    this.#coming = [];
    this.#roster.clear();
    this.#setGizmo(null);
    this.#setStatus({ phase: "connecting", resumed: known && welcome.resumed, older, loaded: 0 });
    if (this.camera) this.#connection.send({ op: "camera", ...this.camera });
    this.#connection.send({ op: "tool", ...this.tool });
    this.#token.watch();
    this.#selectsAgain = true;
    void this.#selectAgain().finally(() => (this.#selectsAgain = false));
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
        const rest = this.selection.filter(
          (id) => !nodes.includes(id) && (this.#part !== null || this.scene.get(id) !== undefined),
        );
        this.#choose({ nodes: rest, how: "set" });
      }
    }
  }

  /** @param {any[]} messages */
  #received(messages) {
    const connecting = this.status.phase === "connecting";
    let notes = false,
      checkpoints = false;
    let people = false;
    const { here } = this;
    for (const told of messages) {
      const message = this.#packed.read(told);
      if (!message) continue;
      people ||= message.op === "presence";
      if (message.op === "delta") this.#delta(message);
      else if (message.op === "saved") this.scene.saved = message.seq;
      else if (message.op === "gizmo") this.#setGizmo(message);
      else if (message.op === "camera") this.#tellView(message.view);
      else if (message.op === "presence") this.#roster.takePresence(message, this.id);
      else if (message.op === "crowd") this.#roster.takeCrowd(message);
      else if (message.op === "notes") notes = this.#roster.takeNotes(message);
      else if (message.op === "checkpoints") checkpoints = this.#tellCheckpoints(message);
      else if (message.op === "edit") this.#edited(message);
      // The status reports an error that ends the connection.
      else if (message.op === "error" && !message.fatal)
        this.#fail(new GizmodError(message.code, message.message, message));
    }
    if (people) this.#tellPeople();
    if (this.here !== here) this.emit("here", this.here);
    // The server sends no empty list, so after a reconnect an empty one is reported here.
    const anew = connecting && this.status.phase === "online";
    if (notes || (anew && this.notes.length === 0)) this.emit("notes", this.notes);
    if (checkpoints || (anew && this.named.length === 0)) this.emit("checkpoints", this.named);
  }

  /** @param {any} delta */
  #delta(delta) {
    this.#coming.push(delta);
    // What was saved before the first delta is past; every later edit is to be told.
    this.#lastEdit ||= delta.saved ?? 0;
    if (delta.more) {
      const loaded = this.#coming.reduce((sum, part) => sum + part.nodes.length, 0);
      if (this.status.phase === "connecting") this.#setStatus({ ...this.status, loaded });
      return;
    }
    const deltas = this.#coming;
    this.#coming = [];
    this.scene.apply(deltas, (change) =>
      this.#prediction?.reconcile(this.#acknowledged(deltas), change),
    );
    this.#whole = this.#part === null;
    if (this.status.phase !== "connecting") return;
    this.#setStatus({ phase: "online", resumed: this.status.resumed, older: this.status.older });
    this.#connection.goOn();
    this.#first.resolve();
  }

  /** The latest pointer of this session that these deltas show. @param {any[]} deltas */
  #acknowledged(deltas) {
    let latest = 0;
    for (const { acks = [] } of deltas)
      for (const [id, n] of acks) if (id === this.id && n > latest) latest = n;
    return latest;
  }

  /** Sets the server's gizmo, or null. @param {any} gizmo */
  #setGizmo(gizmo) {
    this.#told = gizmo?.handles?.length > 0 ? gizmo : null;
    this.#showGizmo();
  }

  /** Shows the page's own gizmo if it has one, else the server's. */
  #showGizmo() {
    const isOwn = this.#prediction?.knows && !this.#served && this.status.phase !== "closed";
    const gizmo = isOwn ? (this.#prediction?.gizmo() ?? null) : this.#told;
    if (gizmo === this.gizmo) return;
    this.gizmo = gizmo;
    this.emit("gizmo", gizmo);
  }

  /** @param {number[]} view */
  #setView(view) {
    if (this.camera) this.camera.view = view;
    if (this.camera) this.#prediction?.setCamera(this.camera);
    this.emit("view", view);
    this.#showGizmo();
  }

  #tellPeople() {
    this.#user = this.#roster.person(this.id)?.user ?? this.#user;
    this.emit("people", this.people);
    this.#takeSelection();
  }

  /**
   * Selects what the own record says, if it was told anew. A record whose selection was not told
   * has the same list as before, which may be older than what the server has answered since.
   */
  #takeSelection() {
    const nodes = this.#roster.person(this.id)?.selection;
    if (nodes === this.#toldSelection) return;
    this.#toldSelection = nodes;
    if (nodes && !this.#selectsAgain) this.#choose({ nodes, how: "set" });
  }

  /** Selects what the server has selected. @param {Choice} choice */
  #choose(choice) {
    this.#choices.choose(choice);
    this.#showSelection();
  }

  /** Selects what the server is about to select. @param {Choice} choice */
  #expect(choice) {
    if (!choice.nodes.every((id) => this.scene.get(id))) return;
    this.#choices.expect(choice);
    this.#showSelection();
  }

  /** @param {Choice} choice */
  #unexpect(choice) {
    this.#choices.unexpect(choice);
    this.#showSelection();
  }

  #showSelection() {
    const selection = this.#choices.nodes;
    if (isSameList(selection, this.selection)) return;
    this.selection = selection;
    this.#prediction?.selected();
    this.emit("selection", selection);
    this.#showGizmo();
  }

  /** @param {any} told @returns {true} */
  #tellCheckpoints(told) {
    this.#roster.takeCheckpoints(told);
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
    if (status.phase === "offline") this.#lose();
    if (status.phase === "closed") this.#loseHolds("the connection is closed");
    if (status.phase === "closed") this.#stopPredicting();
    if (status.phase === "offline" || status.phase === "closed") this.#setGizmo(null);
    this.emit("status", status);
  }

  // ---- what shows before the server has answered ----

  /** @param {true | string | URL | Response | BufferSource} source of the solver */
  async #predict(source) {
    try {
      const solver = await Solver.load(source === true ? WASM : source);
      if (this.status.phase === "closed") return;
      this.#prediction = new Prediction(this.#viewpoint(), solver);
    } catch {
      return; // what the user does shows when the server answers
    }
    this.scene.on("change", () => this.#showGizmo());
    this.emit("predicting", true);
    this.#showGizmo();
  }

  #viewpoint() {
    const session = this;
    return {
      scene: this.scene,
      isHeld: (/** @type {Id} */ id) => this.holder(id) !== undefined,
      get selection() {
        return session.selection;
      },
      get role() {
        return session.role;
      },
      get tool() {
        return session.tool;
      },
      get camera() {
        return session.camera;
      },
      get hasPart() {
        return session.#part !== null;
      },
    };
  }

  #stopPredicting() {
    clearTimeout(this.#wheelRests);
    if (!this.#prediction) return;
    this.#wheel = null;
    this.emit("unsaved", this.unsaved);
    this.#prediction.dispose();
    this.#prediction = null;
    this.emit("predicting", false);
  }

  /** The connection is lost: running gestures continue here. */
  #lose() {
    this.#loseHolds("the connection was lost");
    this.#served = false;
    this.#views.clear();
    for (const wheel of this.#prediction?.lost() ?? []) this.#turnAway(wheel);
  }

  /**
   * Whether the server did not refuse, and what was done shows all the same.
   * @param {unknown} error
   */
  #isOnlyLost(error) {
    return this.#prediction !== null && /** @type {GizmodError} */ (error).code === "lost";
  }

  /** @param {boolean} served whether a drag runs that only the server knows */
  #serve(served) {
    this.#served = served && this.#prediction !== null;
    this.#showGizmo();
  }

  /** @param {Place} place @param {(answer: any) => void} [heard] as Connection.ask has it */
  async #press(place, heard) {
    return this.#ask({ op: "pointer", phase: "down", n: ++this.#pointerN, ...place }, heard);
  }

  /** @param {GizmodError} error that answers no request */
  #fail(error) {
    const { code, nodes: lost, message } = error;
    if (code === "storage" && lost) {
      this.#prediction?.failed(lost);
      this.#loseHolds(message, ({ nodes }) => nodes.some((id) => lost.includes(id)));
    }
    this.emit("error", error);
    this.#showGizmo();
  }

  /**
   * A grab was refused.
   * @param {Drag | null | undefined} drag
   * @param {boolean} runs the drag ran before: what was refused is the value that was typed
   * @param {number} n the number of that value
   */
  #ungrab(drag, runs, n) {
    if (!runs && !drag) this.#serve(false);
    else if (runs && drag) this.#prediction?.untyped(drag, n);
    else if (drag) this.#prediction?.refused(drag);
    this.#showGizmo();
  }

  /**
   * The running drag is released.
   * @param {number} n
   * @param {Place} place
   */
  #drop(n, place) {
    const served = this.#served;
    this.#serve(false);
    if (served) return null;
    this.#prediction?.move(n, place);
    const drag = this.#prediction?.up();
    this.#showGizmo();
    return drag ?? null;
  }

  /**
   * Shows an edit until the scene contains it, or until it is refused.
   * @param {Pending | null} pending
   * @param {Promise<any[]>} asked
   */
  async #settle(pending, asked) {
    try {
      const [done] = await asked;
      if (pending) this.#prediction?.answered(pending, done);
      return done;
    } catch (error) {
      if (pending) this.#prediction?.refused(pending);
      throw error;
    } finally {
      this.#showGizmo();
    }
  }

  /**
   * Makes an edit of the part of a gesture that the server did not receive.
   * @param {Gesture} gesture
   */
  async #land(gesture) {
    const message = this.#landing(gesture, {});
    if (!message) {
      this.#prediction?.answered(gesture, {});
      return { seq: this.scene.seq };
    }
    return this.#settle(gesture, this.#connection.ask(message));
  }

  /**
   * The edit that takes the place of a gesture's end that the server did not see.
   * @param {Gesture} gesture
   * @param {{ seq?: number }} answer to that end
   */
  #landing(gesture, { seq }) {
    const { known } = gesture;
    const nodes = gesture.outcome();
    if (seq !== undefined || !known || nodes.length === 0) return null;
    if (gesture.alone && gesture.isIdle) return null;
    return {
      op: "set",
      nodes,
      key: makeKey(),
      base: () => this.#baseSince(gesture.ids, known),
    };
  }

  /** Ends a drag that goes on without the server: another one begins. */
  #landAway() {
    const drag = this.#prediction?.away ? this.#prediction.up() : null;
    if (drag) this.#land(drag).catch((error) => this.#fail(error));
  }

  /** @param {Wheel} wheel @param {any} message */
  async #turn(wheel, message) {
    wheel.sent();
    try {
      this.#prediction?.turned(wheel, (await this.#ask(message)).seq);
    } catch (error) {
      if (this.#isOnlyLost(error)) return;
      this.#prediction?.refused(wheel);
      this.#fail(/** @type {GizmodError} */ (error));
    }
    this.#showGizmo();
  }

  /** A wheel that turns without the server becomes an edit when it rests. @param {Wheel} wheel */
  #turnAway(wheel) {
    if (wheel !== this.#wheel) this.#restWheel();
    wheel.alone ||= wheel.known === null;
    wheel.goAway(this.scene.saved);
    this.#wheel = wheel;
    this.emit("unsaved", this.unsaved);
    clearTimeout(this.#wheelRests);
    this.#wheelRests = setTimeout(() => this.#restWheel(), WHEEL_MS);
  }

  #restWheel() {
    const wheel = this.#wheel;
    this.#wheel = null;
    clearTimeout(this.#wheelRests);
    if (!wheel) return;
    this.#prediction?.rest(wheel);
    this.#land(wheel).catch((error) => this.#fail(error));
    this.emit("unsaved", this.unsaved);
  }

  /** @param {Place} place */
  async #orbit(place) {
    const foreseen = this.#prediction?.orbit(place) === true;
    try {
      await this.#press(place);
    } catch (error) {
      if (!foreseen || !this.#isOnlyLost(error)) throw error;
    }
    return {};
  }

  /** @param {any} message */
  async #endOrbit(message) {
    this.#foreseeView(this.#prediction?.turn(message));
    this.#prediction?.endOrbit();
    try {
      return await this.#ask(message);
    } catch (error) {
      if (!this.#isOnlyLost(error)) throw error;
      return { seq: this.scene.seq };
    }
  }

  /** @param {number[] | null | undefined} view */
  #foreseeView(view) {
    if (!view) return;
    this.#views.foresee(view);
    this.#setView(view);
  }

  /**
   * The server has orbited the view. The page's own view counts: if the server's differs, the
   * page's is sent.
   * @param {number[]} view
   */
  #tellView(view) {
    const how = this.#views.take(view);
    if (how === "new") this.#setView(view);
    else if (how === "other" && this.camera) this.setCamera(this.camera);
  }
}

/** @param {readonly Id[]} a @param {readonly Id[]} b */
const isSameList = (a, b) => a.length === b.length && a.every((id, i) => id === b[i]);

/** Where the solver is by default: beside this file, or beside the bundle that it is part of. */
const WASM = new URL("./predict.wasm", import.meta.url);
