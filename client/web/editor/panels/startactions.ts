// startactions.ts - what the parts of the start page ask of the page: it knows the person's name, and asks for it where it does not.

/** Opens the page of a scene, or makes the scene before that. */
export type Join = (name: string, create?: boolean) => void;
/** Does something under the person's name, which is asked for first if it is not known; `label` names what will be done. */
export type WithUser = (label: string, go: (user: string) => void) => void;
