/** `codewright sessions export`: one session as a document. */

import { appendFileSync, closeSync, openSync, rmSync } from "node:fs"
import { resolve } from "node:path"
import type { Entry } from "#agent/words/entry.ts"
import { atifTrajectory, type AgentConversation } from "#faces/document/atif.ts"
import { htmlDocument } from "#faces/document/html.ts"
import { type Draw, markdownDocument } from "#faces/document/markdown.ts"
import { partsOf } from "#faces/document/parts.ts"
import { maskedJson, maskSecrets } from "#lib/mask-secrets.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { never } from "#lib/never.ts"
import { type AgentLog, agentLogsOf } from "./agent-logs.ts"
import { patchOf } from "./patch-of.ts"
import { jsonPieces } from "./json-pieces.ts"
import { factsOf, openStored, type StoredSession } from "./read-session.ts"
import { nameOf } from "./session-line.ts"
import { exportFormats, type SessionsCall } from "./sessions-call.ts"
import { snapshotPatch } from "./snapshot-patch.ts"
import { version } from "#lib/version.ts"
import { codeOf } from "#lib/error-code.ts"
import type { Io } from "#faces/cli/io.ts"

type Format = (typeof exportFormats)[number]

export async function exportSession(call: SessionsCall): Promise<number> {
  const { args, words, io } = call
  if (words.length > 1) return io.fail("export takes one session id, such as: codewright sessions export 1a2b3c4d")
  const asked = args.value("format")
  const switched = (["html", "patch", "otlp", "atif"] as const).filter((one) => args.has(one))
  const wanted = [...new Set([...switched, ...(asked === undefined ? [] : [asked])])]
  if (wanted.length > 1) return io.fail(`${wanted.join(" and ")} are two formats. Give one.`)
  const format: Format = exportFormats.find((one) => one === wanted[0]) ?? "md"
  const document = await exported(words[0], format, call)
  if (!document.ok) return io.fail(document.failure)
  const { pieces, isMasked } = document.value
  const output = args.value("output")
  const written = output === undefined ? await printed(pieces, io) : writeNew(resolve(output), pieces)
  if (!written.ok) return io.fail(written.failure)
  if (isMasked()) io.warn(maskedWords(format))
  if (output !== undefined) io.writeForeign(`Written to ${resolve(output)}\n`)
  return 0
}

async function printed(pieces: Iterable<string>, io: Io): Promise<Result<void, string>> {
  for (const text of pieces) {
    io.writeForeign(text)
    await io.flushed()
  }
  return ok(undefined)
}

async function exported(
  id: string | undefined,
  format: Format,
  { where, io }: SessionsCall,
): Promise<Result<ExportedDocument, string>> {
  const session = await openStored(id, where)
  if (!session.ok) return session
  for (const note of session.value.log.notes) io.warn(note)
  if (format === "md" || format === "html" || format === "json") return ok(documentOf(session.value, format))
  return ok(await dataOf(session.value, format, { state: where.state, warn: io.warn }))
}

/** Made as it is read. */
export function documentOf({ row, log }: StoredSession, format: DocumentFormat): ExportedDocument {
  const { mask, isMasked } = openMasked()
  const masked = <T>(value: T): T => JSON.parse(mask(value))

  function* drawn({ head, parts, foot }: Draw): Generator<string> {
    yield head(masked({ title: nameOf(row), facts: factsOf(row) }))
    for (const { entries, isAfterGap } of log.conversation()) yield parts(masked(partsOf(entries, isAfterGap)))
    yield foot
  }
  const draws = { md: markdownDocument, html: htmlDocument } as const
  const pieces =
    format === "json" ? jsonPieces(row, log.conversation(), {}, (value) => mask(value, 2)) : drawn(draws[format])
  return { pieces, isMasked }
}

/** For other programs. Made as it is read, too. */
export async function dataOf(
  session: StoredSession,
  format: Exclude<Format, DocumentFormat>,
  { state, warn }: { readonly state: string; readonly warn: (line: string) => void },
): Promise<ExportedDocument> {
  const { row, log } = session
  switch (format) {
    case "atif": {
      const { mask, isMasked } = openMasked()
      const head = { sessionId: row.id, version, model: row.model }
      const whole = conversationIn({ ...log, agentLog: agentLogsOf(row.path) })
      return { pieces: atifTrajectory(head, whole, (value) => mask(value, 2)), isMasked }
    }
    case "patch": {
      const whole = await snapshotPatch(session, state)
      if (whole.ok && whole.value) {
        for (const note of whole.value.notes) warn(note)
        return maskedTexts([whole.value.patch])
      }
      if (!whole.ok) warn(`The patch contains only edits by tools, without changes made by commands: ${whole.failure}.`)
      const left = (file: string): void =>
        warn(`A change to ${file} is too long for the log, so the patch does not include it.`)
      return maskedTexts(patchOf(entriesIn(log), row.cwd, left))
    }
    case "otlp": {
      const { exportTrace } = await import("#faces/cli/telemetry/export-trace.ts")
      return { pieces: exportTrace(session), isMasked: () => false }
    }
    default:
      return never(format)
  }
}

const conversationIn = ({ conversation, agentLog }: Omit<AgentLog, "entries">): AgentConversation => ({
  *pieces() {
    for (const { entries } of conversation()) yield entries
  },
  agents(agentId) {
    const log = agentLog(agentId)
    return log && conversationIn(log)
  },
})

function* entriesIn({ conversation }: StoredSession["log"]): Generator<Entry> {
  for (const { entries } of conversation()) yield* entries
}

type DocumentFormat = "md" | "html" | "json"

export interface ExportedDocument {
  readonly pieces: Iterable<string>
  /** Known once all pieces were taken. */
  readonly isMasked: () => boolean
}

function openMasked() {
  let isMasked = false
  return {
    mask<T>(value: T, space?: number): string {
      const text = maskedJson(value, space)
      isMasked ||= text !== JSON.stringify(value, null, space)
      return text
    },
    isMasked: (): boolean => isMasked,
  }
}

function maskedTexts(texts: Iterable<string>): ExportedDocument {
  let isMasked = false
  function* pieces(): Generator<string> {
    for (const whole of texts) {
      const text = maskSecrets(whole)
      isMasked ||= text !== whole
      yield text
    }
  }
  return { pieces: pieces(), isMasked: () => isMasked }
}

const maskedWords = (format: Format): string =>
  format === "patch"
    ? "Keys and tokens in the patch are masked (****). Lines with masked values do not apply."
    : "Keys and tokens in the export are masked (****)."

/** Never overwrites a file, and leaves no half of one. */
export function writeNew(path: string, pieces: Iterable<string>): Result<void, string> {
  let fd: number | undefined
  try {
    fd = openSync(path, "wx", 0o600)
    for (const text of pieces) appendFileSync(fd, text)
    return ok(undefined)
  } catch (error) {
    if (fd !== undefined) rmSync(path, { force: true })
    return failed(
      fd === undefined && codeOf(error) === "EEXIST"
        ? `${path} already exists. Choose another file.`
        : `${path} cannot be written: ${error instanceof Error ? error.message : String(error)}`,
    )
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}
