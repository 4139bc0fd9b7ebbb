/** Messages about decisions for the user and the model: what happened, then what to do. */

import { interrupterOf } from "#agent/words/interruption.ts"
import type { Reason } from "#agent/words/permission.ts"
import { hostOf, type JudgedCall } from "./call.ts"
import { namesBelow } from "./paths.ts"

/** What a call would do, as the end of a sentence that begins with the tool: `Bash would run npm test`. */
export function describeAction(call: JudgedCall): string {
  const { writes, reads, reaches } = call.footprint
  if (call.commands.length > 0) return `run ${listed(call.commands.map(({ text }) => `\`${short(text)}\``))}`
  if (writes.length > 0) return `change ${listed(writes.map((path) => shown(path, call)))}`
  if (reaches.length > 0) return `reach ${listed(reaches.map((address) => hostOf(address) ?? short(address)))}`
  if (reads.length > 0) return `read ${listed(reads.map((path) => shown(path, call)))}`
  return "do its work"
}

/** Why a command is asked about, if there is more to say than that nothing allows it. */
export function consentWords({ commands }: JudgedCall): string {
  const dark = commands.find(({ analysis }) => !analysis.understood)?.analysis
  if (dark && !dark.understood) return ` Too complex to check: ${dark.why}.`
  const segments = commands.flatMap(({ analysis }) => analysis.segments)
  const why = segments.find(({ verdict }) => verdict !== "read_only")?.why
  if (why !== undefined) return ` Asks because ${why}.`
  return segments.some(({ unbounded }) => unbounded) ? " Which files it touches is not known in advance." : ""
}

/** For the model: a rule or a mode denied it. */
export function deniedWords(message: string): string {
  return `Not permitted. ${message} Do not try this again, in this or another form; find another way, or tell the user what you need and why.`
}

/** For the model: the classifier denied it. */
export function blockedWords(why: string): string {
  return `Not permitted in the mode auto: ${why} Do not try the same by another route; find a safer way to the goal, or tell the user what you need and why.`
}

/** For the model: the call needed approval and nobody is there to give it. */
export function unansweredWords(tool: string, action: string, why: string, could: string): string {
  const said = "nobody can be asked"
  const nobody = why === "" ? said : why.startsWith(said) ? why : `${said} (${why})`
  return (
    `Not permitted. ${tool} would ${action}, which needs the user's consent, and ${nobody}. ` +
    `Do not try this again, in this or another form. Continue without it, or finish by saying what was not permitted; the user could ${could}.`
  )
}

/** For the model: the user declined, perhaps with instructions. */
export function declinedWords(words: string | undefined): string {
  if (words) return `The user declined this call and says: ${words}`
  return "The user declined this call. Nothing was done. Wait for what they say next."
}

export function reasonText(reason: Reason): string {
  switch (reason.kind) {
    case "rule":
      return `the rule ${reason.rule} (${reason.source})`
    case "mode":
      return `the mode ${reason.mode}`
    case "hook":
      return `the hook ${reason.name}`
    case "tool_check":
      return reason.check
    case "classifier":
      return `the classifier: ${reason.why}`
    case "read_only":
      return "it only reads, inside the workspace"
    case "sandboxed":
      return "the sandbox confines it, and commands in it run without asking"
    case "outside_sandbox":
      return "it would run outside the sandbox"
    case "person":
      return "the user"
    case "no_one_to_ask":
      return "nobody can be asked"
    case "default":
      return "nothing allows it without asking"
  }
}

/** A path in its shortest unambiguous form. */
export function shown(path: string, { workspace }: JudgedCall): string {
  const names = namesBelow(workspace.root, path)
  return names && names.length > 0 ? names.join("/") : path
}

function listed(parts: readonly string[]): string {
  if (parts.length <= 3) return parts.join(" and ")
  return `${parts.slice(0, 3).join(", ")} and ${parts.length - 3} more`
}

const short = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text)

export const interruptedWords = (signal: AbortSignal): string =>
  `Interrupted by ${interrupterOf(signal)} before it was permitted. Nothing was done.`
