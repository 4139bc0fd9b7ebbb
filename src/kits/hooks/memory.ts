/** Remembers what hooks said about calls that continue after a resume, so that no hook is asked twice about a call. */

import type { Entry } from "#agent/words/entry.ts"
import { digestOf } from "#lib/digest.ts"
import { optional } from "#lib/optional.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import type { ConfiguredHook } from "./config.ts"
import { type Meaning, nothing, verdicts } from "./meaning.ts"
import type { HookEvent, HookMoment } from "./moments.ts"

export interface HookMemory {
  /** An entry from before this process. */
  readonly onEntry: (entry: Entry & { readonly kind: "hook" }) => void
  /** What the hook said about this call with this exact input; undefined if nothing. */
  readonly recall: (hook: ConfiguredHook, moment: HookMoment) => Meaning | undefined
}

export type HookSaid = NonNullable<Extract<Entry, { readonly kind: "hook" }>["said"]>

/** Events before a call begins: it may be restarted, and only these have run by then. */
const beforeCalls: ReadonlySet<HookEvent> = new Set<HookEvent>(["PreToolUse", "PermissionRequest"])

export function openHookMemory(): HookMemory {
  const said = new Map<string, Meaning>()
  return {
    onEntry(entry) {
      if (!entry.said || entry.callId === undefined) return
      // A hook that nobody waited for has run, and had nothing to decide.
      said.set(`${entry.callId} ${entry.said.about}`, entry.late ? nothing : meaningIn(entry.said.meaning))
    },
    recall: (hook, moment) =>
      said.size === 0 ? undefined : said.get(`${moment.call?.callId} ${aboutOf(hook, moment)}`),
  }
}

/** What the log keeps, if it may be needed again. Messages to the user have already been shown. */
export function saidOf(hook: ConfiguredHook, moment: HookMoment, meaning: Meaning): HookSaid | undefined {
  if (!moment.call || !beforeCalls.has(moment.event)) return undefined
  const { says: _says, complaints: _complaints, updatedOutput: _output, title: _title, ...kept } = meaning
  const json: JsonObject = {
    ...optional("verdict", kept.verdict),
    ...optional("reason", kept.reason),
    ...optional("updatedInput", kept.updatedInput),
    ...optional("stop", kept.stop),
    ...optional("failure", kept.failure),
    ...(kept.grants.length > 0 && { grants: [...kept.grants] }),
    ...(kept.contexts.length > 0 && { contexts: [...kept.contexts] }),
  }
  return { about: aboutOf(hook, moment), meaning: json }
}

/** Another hook, tool, input or folder is another question. */
const aboutOf = ({ matcher, work }: ConfiguredHook, { event, call, cwd = "" }: HookMoment): string =>
  digestOf([event, matcher, work, call?.tool.name, call?.input, cwd])

function meaningIn({ verdict, reason, updatedInput, stop, failure, grants, contexts }: JsonObject): Meaning {
  return {
    ...nothing,
    ...optional(
      "verdict",
      verdicts.find((one) => one === verdict),
    ),
    ...optional("reason", text(reason)),
    ...optional("updatedInput", isObject(updatedInput) ? updatedInput : undefined),
    ...optional("stop", text(stop)),
    ...optional("failure", text(failure)),
    grants: texts(grants),
    contexts: texts(contexts),
  }
}

const text = (value: JsonValue | undefined): string | undefined => (typeof value === "string" ? value : undefined)
const texts = (value: JsonValue | undefined): readonly string[] =>
  Array.isArray(value) ? value.flatMap((one: JsonValue) => text(one) ?? []) : []
