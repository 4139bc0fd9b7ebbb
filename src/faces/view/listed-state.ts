/** What a session on the list of sessions does, and how that is said. */

/** In the order of the list. `open`: in a terminal or editor, with nothing to do. */
export const listedStates = ["waiting", "working", "open", "failed", "done", "stopped"] as const
export type ListedState = (typeof listedStates)[number]

export const stateWords: { readonly [state in ListedState]: string } = {
  waiting: "Waiting for you",
  working: "Working",
  open: "Open",
  failed: "Failed",
  done: "Done",
  stopped: "Stopped",
}
