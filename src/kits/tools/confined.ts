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
      if (violation.port === nameServers) return "looking up a host name"
      return `connecting to ${addressOf(violation)}`
    case "limit":
      return violation.of === "processes"
        ? "more processes than sandbox.limits.processes allows"
        : "more memory than sandbox.limits.memoryMb allows"
  }
}

const nameServers = 53

const addressOf = ({ host, port }: Extract<Violation, { kind: "host" }>): string =>
  port === undefined ? host : `${host.includes(":") ? `[${host}]` : host}:${port}`

/** For the model: what was denied, and what to do about it. */
export function refusalNote(violations: readonly Violation[], confinement: Confinement, mayLeave: boolean): string {
  const what = attempts(violations).join("; ")
  if (isReader(confinement)) {
    const how = violations.some(({ kind }) => kind === "host") ? "in a read-only sandbox without network" : "read-only"
    return `The command ran ${how}, and the sandbox refused: ${what}.`
  }
  const advice = mayLeave
    ? "If the command cannot do without it, run it again with dangerouslyDisableSandbox, which asks the user."
    : "No command can run outside the sandbox here; find another way, or tell the user what it needs."
  return `The sandbox refused: ${what}. ${advice}`
}

/**
 * What a command that succeeded was denied and still has to be told: in a pipe, `connection refused` can come with
 * exit code 0, and only the sandbox refused it. Elsewhere the proxy decides about hosts, and programs do without.
 */
export const untoldRefusals = (violations: readonly Violation[], confinement: Confinement): readonly Violation[] =>
  isReader(confinement) ? violations.filter(({ kind }) => kind === "host") : []

/** A refused connection to this machine, as programs report it. */
const refusedHere =
  /(?:127\.\d+\.\d+\.\d+|localhost|::1)\]?(?::| port )\d+[^\n]*(?:refused|connect)|(?:refused|connect)[^\n]*(?:127\.\d+\.\d+\.\d+|localhost|::1)\]?(?::| port )\d+/i

/** What has nothing to do with any other refusal: a confined command has a network of its own. */
export const ownLoopbackNote = (output: string, confinement: Confinement): string | undefined =>
  confinement.by === "bubblewrap" && refusedHere.test(output)
    ? "127.0.0.1 in the sandbox is the sandbox's own; servers of this machine cannot be reached there"
    : undefined

const isReader = (confinement: Confinement): boolean => confinement.by !== "none" && confinement.as === "reader"

export const refusalLine = (refused: readonly string[]): string => `(the sandbox refused ${refused.join(", ")})`
