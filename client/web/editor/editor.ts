// editor.ts - the editor of one scene: the state that all its parts share, and the models of its
// larger parts, which are built on that state.
import type { Session } from "../sdk/index.js";
import { EditorState } from "./editorstate";
import { TimelineModel } from "./past/timelinemodel";
import { NotesModel } from "./people/notesmodel";

export class Editor extends EditorState {
  readonly timeline: TimelineModel;
  readonly notesModel: NotesModel;

  constructor(session: Session) {
    super(session);
    this.notesModel = new NotesModel(this);
    this.timeline = new TimelineModel(this);
  }
}
