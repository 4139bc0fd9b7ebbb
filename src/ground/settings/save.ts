/**
 * Adds a permission rule to a settings file, or removes one; every other byte of the file stays as the user wrote it.
 */

import { basename, join } from "node:path"
import type { Behavior, GrantDestination } from "#agent/words/permission.ts"
import { isObject } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { inserted, readSettings, type SettingsPlace, written } from "./edit-file.ts"
import { memberOf, parseJsonc, rootOf } from "./jsonc.ts"
import { trustWritten } from "./trust-written.ts"

export type RuleFile = Exclude<GrantDestination, "session">

export interface RuleRoots {
  readonly root: string
  readonly state: string
  readonly home: string
}

/** Where new ones are written. */
export function rulePlace(destination: RuleFile, { root, state, home }: RuleRoots): SettingsPlace {
  const project = { root, state, home }
  switch (destination) {
    case "local settings":
      return { file: join(root, ".codewright", "settings.local.json"), project }
    case "project settings":
      return { file: join(root, ".codewright", "settings.json"), project }
    case "user settings":
      return { file: join(state, "settings.json") }
  }
}

/** Every file of a source that may be changed, ours first. The ecosystem's folder in the home is never written. */
export function rulePlaces(destination: RuleFile, roots: RuleRoots): readonly SettingsPlace[] {
  const own = rulePlace(destination, roots)
  if (!own.project) return [own]
  return [own, { ...own, file: join(roots.root, ".claude", basename(own.file)) }]
}

/** Removes a rule from every file of its source; tells which contained it. */
export function removeRuleAt(
  destination: RuleFile,
  roots: RuleRoots,
  change: Pick<RuleChange, "behavior" | "rule">,
): Result<readonly string[], string> {
  const foreign = destination === "user settings" ? join(roots.home, ".claude", "settings.json") : undefined
  const places = rulePlaces(destination, roots)
  if (foreign !== undefined && !places.some(({ file }) => file === foreign)) {
    const there = readRules({ file: foreign })
    if (there.ok && rulesIn(there.value, change.behavior).includes(change.rule))
      return failed(`The rule ${change.rule} is in ${foreign}, which Codewright never changes. Remove it there.`)
  }
  const removed: string[] = []
  for (const place of places) {
    const done = removeRule({ ...place, ...change })
    if (!done.ok) return done
    if (done.value === "removed") removed.push(place.file)
  }
  return ok(removed)
}

export interface RuleChange extends SettingsPlace {
  readonly behavior: Behavior
  readonly rule: string
}

/** `there` when it exists already. */
export function saveRule(change: RuleChange): Result<"saved" | "there", string> {
  const read = readRules(change)
  if (!read.ok) return read
  const isThere = rulesIn(read.value, change.behavior).includes(change.rule)
  const saved = isThere ? ok("there" as const) : written(change, withRule(read.value, change), "saved" as const)
  if (!saved.ok) return saved
  // It is the user's own, so it is not asked about at the next start.
  const trusted = trustWritten(change, { permissions: { [change.behavior]: [change.rule] } })
  return trusted.ok ? saved : trusted
}

/** `absent` when it does not exist. */
export function removeRule(change: RuleChange): Result<"removed" | "absent", string> {
  const read = readRules(change)
  if (!read.ok) return read
  const at = rulesIn(read.value, change.behavior).indexOf(change.rule)
  if (at === -1) return ok("absent")
  return written(change, withoutElement(read.value, change.behavior, at), "removed")
}

/** The strings of a list in a settings file, by its key with dots; empty if there is none. */
export function listIn(place: SettingsPlace, key: string): Result<readonly string[], string> {
  const read = readSettings(place)
  if (!read.ok) return read
  const parsed = parseJsonc(read.value)
  let value: unknown = parsed.ok ? parsed.value.value : undefined
  for (const step of key.split(".")) value = isObject(value) ? value[step] : undefined
  return ok(Array.isArray(value) ? value.filter((one) => typeof one === "string") : [])
}

function readRules(place: SettingsPlace): Result<string, string> {
  const { file } = place
  const read = readSettings(place)
  const parsed = read.ok ? parseJsonc(read.value) : undefined
  const value = parsed?.ok ? parsed.value.value : undefined
  const permissions = isObject(value) ? value.permissions : undefined
  if (permissions !== undefined && !isObject(permissions))
    return failed(`"permissions" in ${file} is not an object. Fix it first.`)
  for (const list of isObject(permissions) ? [permissions.allow, permissions.ask, permissions.deny] : [])
    if (list !== undefined && !Array.isArray(list)) return failed(`A rule list in ${file} is not a list. Fix it first.`)
  return read
}

function rulesIn(text: string, behavior: Behavior): readonly unknown[] {
  const parsed = parseJsonc(text)
  const value = parsed.ok ? parsed.value.value : undefined
  const permissions = isObject(value) ? value.permissions : undefined
  const list = isObject(permissions) ? permissions[behavior] : undefined
  return Array.isArray(list) ? list : []
}

function withRule(text: string, { behavior, rule }: RuleChange): string {
  const root = rootOf(text)
  const permissions = memberOf(root, "permissions")
  const list = permissions && memberOf(permissions, behavior)
  const quoted = JSON.stringify(rule)
  if (list) return inserted(text, list, quoted)
  if (permissions) return inserted(text, permissions, `${JSON.stringify(behavior)}: [${quoted}]`)
  return inserted(text, root, `"permissions": { ${JSON.stringify(behavior)}: [${quoted}] }`)
}

function withoutElement(text: string, behavior: Behavior, index: number): string {
  const permissions = memberOf(rootOf(text), "permissions")
  const elements = (permissions && memberOf(permissions, behavior))?.elements ?? []
  const element = elements[index]
  if (!element) return text
  const before = elements[index - 1]
  const next = elements[index + 1]
  // With its comma, and the whitespace before it; the last one takes the preceding comma along.
  if (next) return text.slice(0, element.start) + text.slice(next.start)
  const from = before ? before.end : element.start
  return text.slice(0, from) + text.slice(element.comma === undefined ? element.end : element.comma + 1)
}
