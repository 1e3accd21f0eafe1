// editor.ts - the editor of one scene: the state that all its parts share, and the models of its
// larger parts, which are built on that state.
import type { Session } from "../sdk/index.js";
import { EditorState } from "./editorstate";
import { TimelineModel } from "./past/model";
import { NoteDesk } from "./people/desk";

export class Editor extends EditorState {
  readonly timeline: TimelineModel;
  readonly desk: NoteDesk;

  constructor(session: Session) {
    super(session);
    this.desk = new NoteDesk(this);
    this.timeline = new TimelineModel(this);
  }
}
