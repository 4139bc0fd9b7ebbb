/** Edits a settings file in place: additions follow the file's style, and the rest stays as the user wrote it. */

import { lstatSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { basename, dirname, join, relative } from "node:path"
import { isObject } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { unreadable } from "./bounded-file.ts"
import { type JsoncNode, parseJsonc, rootOf } from "./jsonc.ts"
import { isMissing } from "#lib/error-code.ts"

const empty = "{}\n"

/** A settings file, and the project it belongs to, if any. */
export interface SettingsPlace {
  readonly file: string
  /** Set for a project's file: the project's folder, and where trust is stored. */
  readonly project?: { readonly root: string; readonly state: string; readonly home: string }
}

/** Only if it is valid as settings; a broken file is left to the user. */
export function readSettings({ file, project }: SettingsPlace): Result<string, string> {
  const plain = project ? plainIn(project.root, file) : ok(undefined)
  if (!plain.ok) return plain
  let text: string
  try {
    text = readFileSync(file, "utf8")
  } catch (error) {
    if (isMissing(error)) return ok(empty)
    return failed(`${file}: ${unreadable(error)}`)
  }
  if (text.trim() === "") return ok(empty)
  const parsed = parseJsonc(text)
  if (!parsed.ok)
    return failed(`${file}:${parsed.failure.line}:${parsed.failure.column}: ${parsed.failure.message} Fix it first.`)
  const { value, repeated } = parsed.value
  if (!isObject(value)) return failed(`${file} is not an object. Fix it first.`)
  if (repeated.length > 0) return failed(`${file} gives a key twice. Fix it first.`)
  return ok(text)
}

/** Adds an element or member at the end of a list or object, in the style of the others. */
export function inserted(text: string, around: JsoncNode, added: string): string {
  const last = around.elements.at(-1)
  const isSpread = text.slice(around.start, around.end).includes("\n")
  if (!last) {
    const outer = indentAt(text, around.start)
    const inner = `${outer}${unitOf(text)}`
    const close = text.slice(around.start + 1, around.end - 1)
    // Between the brackets there can only be whitespace or a comment, which stays.
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

function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset)
  return /^[ \t]*/.exec(line)?.[0] ?? ""
}

const unitOf = (text: string): string => /\n([ \t]+)\S/.exec(text)?.[1] ?? "  "

export function written<T>({ file, project }: SettingsPlace, text: string, value: T): Result<T, string> {
  const check = parseJsonc(text)
  // Never replace a good file by one that we could not read ourselves.
  if (!check.ok) return failed(`${file} could not be changed: its form is too unusual. Change it by hand.`)
  // A link in a project could lead to the user's own settings; a user's link into a dotfiles folder is intended.
  const target = project ? file : realFile(file)
  const fresh = `${target}.${process.pid}.new`
  try {
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
    const plain = project ? plainIn(project.root, file) : ok(undefined)
    if (!plain.ok) return plain
    const mode = statSync(target, { throwIfNoEntry: false })?.mode ?? 0o600
    // What lies there from an earlier try may be a link by now.
    rmSync(fresh, { force: true })
    writeFileSync(fresh, text, { mode, flag: "wx" })
    const still = project ? plainIn(project.root, file) : ok(undefined)
    if (!still.ok) {
      rmSync(fresh, { force: true })
      return still
    }
    renameSync(fresh, target)
    if (basename(file) === "settings.local.json") keepFromGit(dirname(file))
    return ok(value)
  } catch (error) {
    rmSync(fresh, { force: true })
    return failed(
      `${file} could not be written (${error instanceof Error ? error.message : String(error)}). Nothing was changed.`,
    )
  }
}

/** Whether a path in a project is a regular file, or missing, in folders of the project itself. */
function plainIn(root: string, file: string): Result<undefined, string> {
  const steps = relative(root, file).split("/")
  let at = root
  for (const [i, step] of steps.entries()) {
    at = join(at, step)
    const stat = lstatSync(at, { throwIfNoEntry: false })
    if (!stat) return ok(undefined)
    if (stat.isSymbolicLink())
      return failed(
        `${at} is a link, and settings of a project are not written through links. Replace it by a plain ${i === steps.length - 1 ? "file" : "folder"}.`,
      )
    if (i === steps.length - 1 && !stat.isFile())
      return failed(`${at} is not a plain file, so nothing is written there. Replace it by a plain file.`)
  }
  return ok(undefined)
}

/**
 * What one user allows in a repository is not for everyone who clones it; an existing ignore file in the folder
 * counts.
 */
function keepFromGit(folder: string): void {
  try {
    writeFileSync(join(folder, ".gitignore"), localOnly, { flag: "wx" })
  } catch {
    // There is one, or there can be none.
  }
}

const localOnly = "# Local settings are yours alone.\nsettings.local.json\n.gitignore\n"

/** A settings file may be a link into a dotfiles folder; the link stays. */
function realFile(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    return file
  }
}
