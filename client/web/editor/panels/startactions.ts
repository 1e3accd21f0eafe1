// startactions.ts - what the parts of the start page can ask of the page, which knows the person's
// name or asks for it.

/** Opens the page of a scene; with `create` the scene is created first. */
export type Join = (name: string, create?: boolean) => void;
/**
 * Acts under the person's name, which the page asks for first if it is missing; `label` names the
 * action.
 */
export type WithUser = (label: string, go: (user: string) => void) => void;
