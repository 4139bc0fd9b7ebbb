/** `/export` and `/share`: this conversation as a document, in a file or for the clipboard. */

import { mkdirSync } from "node:fs"
import { dirname, extname, join, resolve } from "node:path"
import { systemClock } from "#lib/clock.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { tilde } from "#lib/tilde.ts"
import type { SlashAnswer } from "#session/opening/program.ts"
import { type ProgramParts, refused, said } from "#faces/cli/terminal/program-parts.ts"
import { openStored } from "./read-session.ts"
import { documentOf, type ExportedDocument, writeNew } from "./sessions-export.ts"
import { whereWeAre } from "#faces/cli/where.ts"

const formats = ["md", "html", "json"] as const
type Format = (typeof formats)[number]

/** Without a name, not into the folder: nobody wants it in the next commit. */
export async function exportAnswer(words: string, parts: ProgramParts): Promise<SlashAnswer> {
  const { setting, session } = parts
  const wanted = words.trim()
  const named = formats.find((one) => one === wanted)
  const isFile = wanted !== "" && wanted !== "copy" && named === undefined
  const format = named ?? (isFile ? formatOf(wanted) : "md")
  if (format === undefined)
    return refused(`/export writes .md, .html and .json files, not '${extname(wanted) || wanted}'. Or: /export copy`)
  const document = await documentHere(format, parts)
  if (!document.ok) return refused(document.failure)
  const { pieces, isMasked } = document.value
  const masked = (): string => (isMasked() ? " Keys and tokens in the file are masked." : "")
  if (wanted === "copy") {
    const copy = [...pieces].join("")
    return { text: masked().trim(), copy }
  }
  const file = isFile
    ? resolve(setting.cwd, wanted.replace(/^~\//, `${setting.home}/`))
    : join(setting.state, "exports", defaultName(session.id, format))
  const folder = isFile ? ok(undefined) : madeFolder(dirname(file))
  if (!folder.ok) return refused(folder.failure)
  const written = writeNew(file, pieces)
  return written.ok ? said(`Exported to ${tilde(file, setting.home)}.${masked()}`) : refused(written.failure)
}

/** `/share`: one HTML file in the state folder, so that no repository gets it by accident. */
export async function shareAnswer(_: string, parts: ProgramParts): Promise<SlashAnswer> {
  const document = await documentHere("html", parts)
  if (!document.ok) return refused(document.failure)
  const { session, setting } = parts
  const folder = join(setting.state, "shared")
  const at = new Date(systemClock.now()).toISOString().slice(0, 19).replaceAll(/[:T]/g, "-")
  const file = join(folder, `conversation-${session.id.slice(0, 8)}-${at}.html`)
  const made = madeFolder(folder)
  if (!made.ok) return refused(made.failure)
  const written = writeNew(file, document.value.pieces)
  if (!written.ok) return refused(written.failure)
  const masked = document.value.isMasked() ? "Keys and tokens in it are masked" : "No keys or tokens were found in it"
  return said(
    `Saved to ${tilde(file, setting.home)}. Nothing was uploaded.\n${masked}, but it has your prompts, parts of your files and the output of commands: read it before you send it.`,
  )
}

function madeFolder(folder: string): Result<void, string> {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return ok(undefined)
  } catch (error) {
    return failed(`${folder} cannot be created: ${error instanceof Error ? error.message : String(error)}`)
  }
}

async function documentHere(
  format: Format,
  { setting, session }: ProgramParts,
): Promise<Result<ExportedDocument, string>> {
  const { logPath } = await session.ask({ type: "about" })
  if (logPath === undefined) return failed("This conversation is not saved, so there is nothing to export.")
  const where = { ...whereWeAre(), cwd: setting.cwd }
  const stored = await openStored(session.id, where)
  return stored.ok ? ok(documentOf(stored.value, format)) : stored
}

const formatOf = (file: string): Format | undefined => {
  const ending = extname(file).slice(1).toLowerCase()
  return ending === "htm" ? "html" : formats.find((one) => one === ending || `${one}own` === ending)
}

const defaultName = (id: string, format: Format): string =>
  `conversation-${new Date(systemClock.now()).toISOString().slice(0, 10)}-${id.slice(0, 8)}.${format}`
