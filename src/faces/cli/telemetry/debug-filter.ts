/** The filter of `--debug`: names of subjects or of single kinds of events, with `!` before what is left out. */

import type { Entry } from "#agent/words/entry.ts"
import type { Event, Moment } from "#agent/words/event.ts"
import { entryKinds } from "#ground/transcript/entry-kinds.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { DebugSubject } from "#faces/cli/flags/debug-subjects.ts"

export interface DebugFilter {
  readonly wants: (event: Event) => boolean
  /** Whether requests and answers on the wire are wanted. */
  readonly http: boolean
}

type EventKindName = Entry["kind"] | Moment["type"]

const subjects: { readonly [S in DebugSubject]: ReadonlySet<EventKindName> } = {
  http: new Set<EventKindName>(["request_start", "retry_wait", "connection", "request", "reply_end", "orphan"]),
  mcp: new Set<EventKindName>(["servers_change", "elicitation_end"]),
  hooks: new Set<EventKindName>(["hook", "hook_status", "hook_start", "hook_progress", "hook_end"]),
  permissions: new Set<EventKindName>([
    "decision",
    "verdict",
    "question",
    "answer",
    "grant",
    "mode",
    "question_open",
    "question_close",
  ]),
}

const moments: { readonly [K in Moment["type"]]: true } = {
  request_start: true,
  model_delta: true,
  retry_wait: true,
  tool_start: true,
  tool_progress: true,
  question_open: true,
  question_close: true,
  chore: true,
  child: true,
  queue_change: true,
  state_change: true,
  servers_change: true,
  elicitation_end: true,
  background_end: true,
  suggestion: true,
  team_change: true,
  hook_status: true,
  hook_start: true,
  hook_progress: true,
  hook_end: true,
  unknown_cursor: true,
}

const isSubject = (name: string): name is DebugSubject => Object.hasOwn(subjects, name)
const isKind = (name: string): boolean => entryKinds.some((kind) => kind === name) || Object.hasOwn(moments, name)

export function readFilter(text: string): Result<DebugFilter, string> {
  const names = text.split(",").map((name) => name.trim())
  const terms = names.filter((name) => name !== "")
  const wrong = terms.map((name) => name.replace(/^!/, "")).find((name) => !isSubject(name) && !isKind(name))
  if (wrong !== undefined)
    return failed(
      `--debug knows no ${JSON.stringify(wrong)}. Use ${Object.keys(subjects).join(", ")}, or a kind of event such as turn_end or tool_start; put ! before what to leave out.`,
    )
  const without = terms.flatMap((name) => (name.startsWith("!") ? [name.slice(1)] : []))
  const only = terms.filter((name) => !name.startsWith("!"))
  return ok({
    http: (only.length === 0 || only.includes("http")) && !without.includes("http"),
    wants(event) {
      const inner = innermost(event)
      const kind: EventKindName = inner.type === "entry" ? inner.entry.kind : inner.type
      const isAbout = (name: string): boolean =>
        name === kind || (isSubject(name) && (subjects[name].has(kind) || (name === "mcp" && isServers(inner))))
      return (only.length === 0 || only.some(isAbout)) && !without.some(isAbout)
    },
  })
}

export const innermost = (event: Event): Event => (event.type === "child" ? innermost(event.event) : event)

/** Calls of servers' tools, and connections to servers. */
function isServers(event: Event): boolean {
  if (event.type === "tool_start") return event.tool.startsWith("mcp__")
  if (event.type !== "entry") return false
  const { entry } = event
  if (entry.kind === "connection") return entry.why === "mcp"
  return (
    (entry.kind === "decision" || entry.kind === "intent" || entry.kind === "result") && entry.tool.startsWith("mcp__")
  )
}
