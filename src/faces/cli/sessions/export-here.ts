/** `/export`: this conversation as a document, in a file or for the clipboard. */

import { extname, resolve } from "node:path"
import { systemClock } from "#lib/clock.ts"
import { tilde } from "#lib/tilde.ts"
import type { SlashAnswer } from "#session/opening/program.ts"
import { type ProgramParts, refused, said } from "#faces/cli/terminal/program-parts.ts"
import { readSession } from "./read-session.ts"
import { documentOf, writeNew } from "./sessions-export.ts"
import { whereWeAre } from "#faces/cli/where.ts"

const formats = ["md", "html", "json"] as const
type Format = (typeof formats)[number]

export async function exportAnswer(words: string, { setting, session }: ProgramParts): Promise<SlashAnswer> {
  const wanted = words.trim()
  const named = formats.find((one) => one === wanted)
  const isFile = wanted !== "" && wanted !== "copy" && named === undefined
  const format = named ?? (isFile ? formatOf(wanted) : "md")
  if (format === undefined)
    return refused(`/export writes .md, .html and .json files, not '${extname(wanted) || wanted}'. Or: /export copy`)
  const { logPath } = await session.ask({ type: "about" })
  if (logPath === undefined) return refused("This conversation is not saved, so there is nothing to export.")
  const where = { ...whereWeAre(), cwd: setting.cwd }
  const read = await readSession(session.id, where)
  if (!read.ok) return refused(read.failure)
  const notes: string[] = []
  const document = await documentOf(read.value, format, { state: where.state, warn: (note) => notes.push(note) })
  if (!document.ok) return refused(document.failure)
  const { text, isMasked } = document.value
  const masked = isMasked ? " Keys and tokens in the file are masked." : ""
  if (wanted === "copy") return { text: masked.trim(), copy: text }
  const name = isFile ? wanted.replace(/^~\//, `${setting.home}/`) : defaultName(session.id, format)
  const file = resolve(setting.cwd, name)
  const written = writeNew(file, text)
  return written.ok ? said(`Exported to ${tilde(file, setting.home)}.${masked}`) : refused(written.failure)
}

const formatOf = (file: string): Format | undefined => {
  const ending = extname(file).slice(1).toLowerCase()
  return ending === "htm" ? "html" : formats.find((one) => one === ending || `${one}own` === ending)
}

const defaultName = (id: string, format: Format): string =>
  `conversation-${new Date(systemClock.now()).toISOString().slice(0, 10)}-${id.slice(0, 8)}.${format}`
