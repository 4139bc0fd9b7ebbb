/** Reports on a command's sandbox: how it was confined, and what was denied. */

import type { Confinement, Violation } from "#agent/words/confinement.ts"
import type { JsonObject } from "#lib/json.ts"

/** How a command was confined, for programs that read the result. */
export const confinementData = (confinement: Confinement): { readonly sandbox: JsonObject } => ({
  sandbox: { ...confinement },
})

const mostNamed = 5

/** Each attempt in a few words: `writing /etc/hosts`. */
export function attempts(violations: readonly Violation[]): readonly string[] {
  // Most programs look up the user's name and do without an answer: that is noise beside other attempts.
  const telling = violations.filter((violation) => violation.kind !== "socket" || violation.path !== undefined)
  const all = [...new Set((telling.length > 0 ? telling : violations).map(attempt))]
  return all.length <= mostNamed ? all : [...all.slice(0, mostNamed), `${all.length - mostNamed} more`]
}

function attempt(violation: Violation): string {
  switch (violation.kind) {
    case "write":
      return `writing ${violation.path}`
    case "socket":
      return violation.path === undefined ? "using a unix socket" : `using the socket ${violation.path}`
    case "host":
      return `connecting to ${violation.host}${violation.port === undefined ? "" : `:${violation.port}`}`
    case "limit":
      return violation.of === "processes"
        ? "more processes than sandbox.limits.processes allows"
        : "more memory than sandbox.limits.memoryMb allows"
  }
}

/** For the model: what was denied, and what to do about it. */
export function refusalNote(refused: readonly string[], confinement: Confinement, mayLeave: boolean): string {
  const what = refused.join("; ")
  if (confinement.by !== "none" && confinement.as === "reader")
    return `The command ran read-only, and the sandbox refused: ${what}.`
  const advice = mayLeave
    ? "If the command cannot do without it, run it again with dangerouslyDisableSandbox, which asks the user."
    : "No command can run outside the sandbox here; find another way, or tell the user what it needs."
  return `The sandbox refused: ${what}. ${advice}`
}

export const refusalLine = (refused: readonly string[]): string => `(the sandbox refused ${refused.join(", ")})`
