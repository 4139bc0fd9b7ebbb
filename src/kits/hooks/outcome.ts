/** What the result of a hook means for its moment: exit codes, plain text, and JSON. */

import { objectIn } from "#lib/json.ts"
import { optional } from "#lib/optional.ts"
import { forReading } from "#lib/printable.ts"
import { readAnswer } from "./answer.ts"
import { type Meaning, nothing, type HookResult } from "./meaning.ts"
import { factsOf, type HookEvent } from "./moments.ts"

const longest = 10_000

export function meaningOf(event: HookEvent, ran: HookResult): Meaning {
  if (ran.kind === "failed") return failedTo(event, ran)
  if (ran.kind === "judged")
    return ran.ok ? nothing : against(event, cut(ran.reason.trim()) || "It was judged not to be well.")
  const meaning = exitMeaning(event, ran)
  const { refused = [] } = ran
  if (refused.length === 0) return meaning
  const words = `the sandbox refused ${forReading(refused.join(", "))}`
  // Often this is why the hook failed.
  if (meaning.failure !== undefined) return { ...meaning, failure: `${meaning.failure} (${words})` }
  return { ...meaning, warnings: [words] }
}

/** A hook that cannot run in its sandbox cannot deny anything, so nothing it guards may pass. */
function failedTo(event: HookEvent, { why, isUnconfined }: HookResult & { readonly kind: "failed" }): Meaning {
  const failure = { ...nothing, failure: why }
  return isUnconfined && factsOf(event).guards
    ? { ...failure, verdict: "deny", reason: `The hook has to say yes first, and ${why}.` }
    : failure
}

function exitMeaning(
  event: HookEvent,
  { exit, stdout, stderr, isCut }: HookResult & { readonly kind: "exited" },
): Meaning {
  const text = stdout.trim()
  const printed = text.startsWith("{") ? objectIn(text) : undefined
  const answer = printed ? readAnswer(event, printed) : nothing
  // Some interpreters exit with this code when the script itself is missing. A guard then still denies; a turn is not held up.
  if (exit === 2 && !printed && isAtRest(event) && scriptIsMissing(stderr))
    return { ...nothing, failure: `its script cannot be opened${firstLine(stderr)}` }
  if (exit === 2) return blocked(event, answer, stderr)
  if (exit !== 0 && factsOf(event).strict)
    return against(event, cut(stderr.trim()) || answer.reason || `It ended with code ${exit} and gave no reason.`)
  if (printed) return bounded(answer)
  if (exit !== 0) return { ...nothing, failure: `it ended with code ${exit}${firstLine(stderr)}` }
  if (text.startsWith("{"))
    return {
      ...nothing,
      failure: isCut ? "it printed more than can be read" : "what it printed begins like JSON and is none",
    }
  if (text === "") return nothing
  // The path is the last line, so that the programs it runs may print something before.
  if (event === "WorktreeCreate") return { ...nothing, ...optional("worktree", lastLine(text)) }
  const shown = cut(text)
  return factsOf(event).plainText === "context" ? { ...nothing, contexts: [shown] } : { ...nothing, says: [shown] }
}

const isAtRest = (event: HookEvent): boolean => event === "Stop" || event === "SubagentStop"

const scriptIsMissing = (stderr: string): boolean =>
  /\b(?:can't|cannot) open\b.*\bno such file/i.test(stderr.trim().split("\n", 1)[0] ?? "")

/** Code 2 denies, whatever else was printed. */
function blocked(event: HookEvent, answer: Meaning, stderr: string): Meaning {
  const { updatedInput: _input, updatedOutput: _output, verdict: _verdict, reason, ...rest } = bounded(answer)
  const why = cut(stderr.trim()) || reason || "It ended with code 2 and gave no reason."
  const no = against(event, why)
  return {
    ...rest,
    ...optional("verdict", no.verdict),
    ...optional("reason", no.reason),
    says: [...rest.says, ...no.says],
  }
}

/** If nothing can be blocked any more, the user sees the objection. */
function against(event: HookEvent, why: string): Meaning {
  return factsOf(event).blocks ? { ...nothing, verdict: "deny", reason: why } : { ...nothing, says: [why] }
}

const bounded = (meaning: Meaning): Meaning => ({
  ...meaning,
  ...optional("reason", meaning.reason === undefined ? undefined : cut(meaning.reason)),
  ...optional("stop", meaning.stop === undefined ? undefined : cut(meaning.stop)),
  contexts: meaning.contexts.map(cut),
  says: meaning.says.map(cut),
})

/** Without escape sequences or hidden characters; never splits a code point. */
function cut(printed: string): string {
  const text = forReading(printed)
  if (text.length <= longest) return text
  const end = /[\ud800-\udbff]/.test(text.charAt(longest - 1)) ? longest - 1 : longest
  return `${text.slice(0, end)}\n[Cut here: the hook said ${text.length.toLocaleString("en-US")} characters.]`
}

const lastLine = (text: string): string | undefined => text.split("\n").at(-1)?.trim() || undefined

function firstLine(stderr: string): string {
  const line = stderr.trim().split("\n", 1)[0] ?? ""
  return line === "" ? "" : `: ${forReading(line.slice(0, 300))}`
}

/** The time limit of a hook that says it continues in the background; undefined if it does not say so. */
export function asyncAnswer(line: string): { readonly timeoutMs?: number } | undefined {
  const value = line.trim().startsWith("{") ? objectIn(line.trim()) : undefined
  if (value?.async !== true) return undefined
  const { asyncTimeout: ms } = value
  return { ...optional("timeoutMs", typeof ms === "number" && ms > 0 ? ms : undefined) }
}
