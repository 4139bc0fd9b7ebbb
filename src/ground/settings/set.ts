/** Sets one setting in a file; a change that would make the file invalid is refused. */

import type { JsonValue } from "#lib/json.ts"
import { failed, type Result } from "#lib/result.ts"
import { inserted, readSettings, type SettingsPlace, written } from "./edit-file.ts"
import { type JsoncNode, memberOf, rootOf } from "./jsonc.ts"
import { decodeSource } from "./read-source.ts"
import { checkSettings } from "./schema.ts"
import { trustWritten } from "./trust-written.ts"
import { underLock } from "./under-lock.ts"

export interface SettingChange extends SettingsPlace {
  /** With dots for nested keys: `permissions.defaultMode`. */
  readonly key: string
  /** The same where a name may have dots in it. */
  readonly steps?: readonly string[]
  /** Undefined removes it. */
  readonly value: JsonValue | undefined
}

/** In a project's folder nothing is written besides: its parts may be links. */
export const setSetting = (change: SettingChange): Result<void, string> =>
  change.project ? setAlone(change) : underLock(change.file, () => setAlone(change))

function setAlone({ key, steps = key.split("."), value, ...place }: SettingChange): Result<void, string> {
  const { file } = place
  if (steps.some((step) => step === "")) return failed(`'${key}' is not the name of a setting.`)
  const read = readSettings(place)
  if (!read.ok) return read
  if (value === undefined) return written(place, withoutValue(read.value, steps), undefined)
  const next = withValue(read.value, steps, JSON.stringify(value))
  if (next === undefined) return failed(`'${key}' cannot be set in ${file}: a part of it is not an object there.`)
  const source = { name: "user settings", file, base: file, required: false } as const
  const problemsOf = (text: string): readonly string[] =>
    decodeSource({ source, text, realFile: undefined }, checkSettings).problems.flatMap(({ kind, message }) =>
      kind === "wrong_value" || kind === "unknown_key" ? [message.replace(howItIsRead, "")] : [],
    )
  const before = problemsOf(read.value)
  const own = problemsOf(next).find((message) => !before.includes(message))
  if (own !== undefined) return failed(`${own} Nothing was changed in ${file}.`)
  const saved = written(place, next, undefined)
  if (!saved.ok) return saved
  const trusted = trustWritten(
    place,
    steps.reduceRight<JsonValue>((inner, step) => ({ [step]: inner }), value),
  )
  return trusted.ok ? saved : trusted
}

/** What a problem says of a value that is in a file already. */
const howItIsRead = / (?:It is read as .*|(?:It|"[^"]*") is ignored)\.$/

function withValue(text: string, steps: readonly string[], json: string): string | undefined {
  let around: JsoncNode = rootOf(text)
  for (const [depth, step] of steps.entries()) {
    if (text[around.start] !== "{") return undefined
    const member = memberOf(around, step)
    if (!member) return inserted(text, around, nested(steps.slice(depth), json))
    around = member
  }
  return `${text.slice(0, around.start)}${json}${text.slice(around.end)}`
}

/** With the comma and the whitespace that belong to it. */
function withoutValue(text: string, steps: readonly string[]): string {
  const around = steps
    .slice(0, -1)
    .reduce<JsoncNode | undefined>((node, step) => node && memberOf(node, step), rootOf(text))
  const elements = around?.elements ?? []
  const at = elements.findIndex(({ key }) => key === steps.at(-1))
  const [before, element, next] = [elements[at - 1], elements[at], elements[at + 1]]
  if (!element) return text
  if (next) return text.slice(0, element.start) + text.slice(next.start)
  const from = before ? before.end : element.start
  return text.slice(0, from) + text.slice(element.comma === undefined ? element.end : element.comma + 1)
}

/** `a.b` with its value, as a member: `"a": { "b": ... }`. */
const nested = ([step = "", ...rest]: readonly string[], json: string): string =>
  `${JSON.stringify(step)}: ${rest.length === 0 ? json : `{ ${nested(rest, json)} }`}`
