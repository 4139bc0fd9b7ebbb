/** What users are told about gates, the same on every face. */

import type { GateOverview, GateName } from "./gates.ts"

/** What each is for, as the user would ask for it. */
export const gateWords: { readonly [gate in GateName]: string } = {
  clarify: "Clarify the task with me first",
  plan: "Have me approve a plan before anything changes",
  files: "Have me review files after they are created",
  git: "Ask me before git changes anything",
  testFirst: "Write failing tests before the code",
}

export const gateDone = (gate: GateName, on: boolean): string =>
  `The ${gate} gate is ${on ? "on" : "off"} for this session.`

/** Why it is on or off; empty if nobody asked for it. */
export function gateWhy({ on, source, by }: GateOverview): string {
  if (source === undefined) return ""
  if (source !== "session") return sourceWords[source]
  if (by !== undefined) return `switched ${on ? "on" : "off"} by ${by}`
  return on ? "set for this session" : "switched off for this session"
}

const sourceWords = {
  policy: "set by the managed policy of the machine",
  settings: "set in settings",
  project: "set by the project",
} as const
