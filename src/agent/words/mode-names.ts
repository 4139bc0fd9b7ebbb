/** The display name of each permission mode, and what the mode does. */

import type { PermissionMode } from "./permission.ts"

export const modeNames: { readonly [mode in PermissionMode]: string } = {
  default: "ask",
  acceptEdits: "accept edits",
  plan: "plan",
  delegate: "delegate",
  dontAsk: "deny unless allowed",
  auto: "auto",
  bypassPermissions: "bypass",
}

export const modeMeanings: { readonly [mode in PermissionMode]: string } = {
  default: "ask before edits and commands",
  acceptEdits: "edit files without asking, ask before commands",
  plan: "read and plan, change nothing",
  delegate: "only coordinate, agents do the work",
  dontAsk: "run what is allowed, deny everything else",
  auto: "let the model judge what is safe, ask about the rest",
  bypassPermissions: "run everything without asking",
}
