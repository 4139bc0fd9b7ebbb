/** Adds a permission rule to a settings file, or takes one out; every other byte of the file stays as the person wrote it. */

import { mkdirSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Behavior, GrantDestination } from "#agent/words/permission.ts"
import { isObject } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { elementsOf, memberOf, rootOf, type JsoncSpan } from "./jsonc-spans.ts"
import { parseJsonc } from "./jsonc.ts"

/** A place where rules are kept in a file. */
export type RuleFile = Exclude<GrantDestination, "session">

/** The file of a destination. */
export function ruleFile(
  destination: RuleFile,
  { root, state }: { readonly root: string; readonly state: string },
): string {
  switch (destination) {
    case "local settings":
      return join(root, ".codewright", "settings.local.json")
    case "project settings":
      return join(root, ".codewright", "settings.json")
    case "user settings":
      return join(state, "settings.json")
  }
}

export interface RuleChange {
  readonly file: string
  readonly behavior: Behavior
  readonly rule: string
}

/** Adds the rule at the end of its list; `there` when it stands there already. */
export function saveRule(change: RuleChange): Result<"saved" | "there", string> {
  const read = readSettings(change.file)
  if (!read.ok) return read
  if (rulesIn(read.value, change.behavior).includes(change.rule)) return ok("there")
  return written(change.file, withRule(read.value, change), "saved")
}

/** Takes the rule out; `absent` when it is not there. */
export function removeRule(change: RuleChange): Result<"removed" | "absent", string> {
  const read = readSettings(change.file)
  if (!read.ok) return read
  const at = rulesIn(read.value, change.behavior).indexOf(change.rule)
  if (at === -1) return ok("absent")
  return written(change.file, withoutElement(read.value, change.behavior, at), "removed")
}

const empty = "{}\n"

/** The text of a file that can be read as settings; a broken one is left to the person. */
function readSettings(file: string): Result<string, string> {
  let text: string
  try {
    text = readFileSync(file, "utf8")
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return ok(empty)
    return failed(`${file} cannot be read (${String(error)}).`)
  }
  if (text.trim() === "") return ok(empty)
  const parsed = parseJsonc(text)
  if (!parsed.ok)
    return failed(`${file}:${parsed.failure.line}:${parsed.failure.column}: ${parsed.failure.message} Mend it first.`)
  const { value, repeated } = parsed.value
  if (!isObject(value)) return failed(`${file} is not an object. Mend it first.`)
  if (repeated.length > 0) return failed(`${file} gives a key twice. Mend it first.`)
  const { permissions } = value
  if (permissions !== undefined && !isObject(permissions))
    return failed(`"permissions" in ${file} is not an object. Mend it first.`)
  for (const list of Object.values(
    isObject(permissions) ? { a: permissions.allow, b: permissions.ask, c: permissions.deny } : {},
  ))
    if (list !== undefined && !Array.isArray(list))
      return failed(`A rule list in ${file} is not a list. Mend it first.`)
  return ok(text)
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
  const permissions = memberOf(text, root, "permissions")
  const list = permissions && memberOf(text, permissions, behavior)
  const quoted = JSON.stringify(rule)
  if (list) return inserted(text, list, quoted)
  if (permissions) return inserted(text, permissions, `${JSON.stringify(behavior)}: [${quoted}]`)
  return inserted(text, root, `"permissions": { ${JSON.stringify(behavior)}: [${quoted}] }`)
}

/** Puts one more element or member at the end of a list or an object, in the way the others stand. */
function inserted(text: string, around: JsoncSpan, added: string): string {
  const elements = elementsOf(text, around)
  const last = elements.at(-1)
  const isSpread = text.slice(around.start, around.end).includes("\n")
  if (!last) {
    const outer = indentAt(text, around.start)
    const inner = `${outer}${unitOf(text)}`
    const close = text.slice(around.start + 1, around.end - 1)
    // What stands between the brackets can only be blank or a comment, which stays.
    const kept = close.trim() === "" ? "" : close.trimEnd()
    const isRoot = around.start === rootOf(text).start
    return isRoot || kept !== ""
      ? `${text.slice(0, around.start + 1)}${kept}\n${inner}${added}\n${outer}${text.slice(around.end - 1)}`
      : `${text.slice(0, around.start + 1)}${added}${text.slice(around.end - 1)}`
  }
  const before = isSpread ? `\n${indentAt(text, last.start)}` : " "
  const comma = last.comma === undefined ? "," : ""
  const at = last.comma === undefined ? last.end : last.comma + 1
  return `${text.slice(0, at)}${comma}${before}${added}${text.slice(at)}`
}

function withoutElement(text: string, behavior: Behavior, index: number): string {
  const permissions = memberOf(text, rootOf(text), "permissions")
  const list = permissions && memberOf(text, permissions, behavior)
  const elements = list ? elementsOf(text, list) : []
  const element = elements[index]
  if (!list || !element) return text
  const before = elements[index - 1]
  const next = elements[index + 1]
  // With its comma, and the blank before it; the last one takes the comma before it along.
  if (next) return text.slice(0, element.start) + text.slice(next.start)
  const from = before ? before.end : element.start
  return text.slice(0, from) + text.slice(element.comma === undefined ? element.end : element.comma + 1)
}

/** The blank at the beginning of the line in which an offset stands. */
function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset)
  return /^[ \t]*/.exec(line)?.[0] ?? ""
}

/** One step of indentation, as the file has it. */
const unitOf = (text: string): string => /\n([ \t]+)\S/.exec(text)?.[1] ?? "  "

function written<T>(file: string, text: string, value: T): Result<T, string> {
  const check = parseJsonc(text)
  // Never replace a good file by one that we could not read ourselves.
  if (!check.ok) return failed(`${file} could not be changed: its form is too unusual. Add the rule by hand.`)
  const target = realFile(file)
  const fresh = `${target}.${process.pid}.new`
  try {
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
    writeFileSync(fresh, text, { mode: statSync(target, { throwIfNoEntry: false })?.mode ?? 0o600 })
    renameSync(fresh, target)
    return ok(value)
  } catch (error) {
    rmSync(fresh, { force: true })
    return failed(
      `${file} could not be written (${error instanceof Error ? error.message : String(error)}). Nothing was changed.`,
    )
  }
}

/** A settings file may be a link into a folder of dotfiles; the link stays. */
function realFile(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    return file
  }
}
