/** `codewright sessions export`: one session as a document. */

import { writeFileSync } from "node:fs"
import { resolve } from "node:path"
import { atifTrajectory, type AgentConversation } from "#faces/document/atif.ts"
import { htmlDocument } from "#faces/document/html.ts"
import { markdownDocument } from "#faces/document/markdown.ts"
import type { StoredLog } from "#ground/telemetry/trace-of-log.ts"
import { pathOf } from "#ground/transcript/path.ts"
import { maskedJson, maskSecrets } from "#lib/mask-secrets.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { never } from "#lib/never.ts"
import { agentLogsOf } from "./agent-logs.ts"
import { patchOf } from "./patch-of.ts"
import { factsOf, type ReadSession, readSession } from "./read-session.ts"
import { nameOf } from "./session-line.ts"
import { exportFormats, type SessionsCall } from "./sessions-call.ts"
import { snapshotPatch } from "./snapshot-patch.ts"
import { version } from "#lib/version.ts"
import { codeOf } from "#lib/error-code.ts"

type Format = (typeof exportFormats)[number]

export async function exportSession({ args, words, where, io }: SessionsCall): Promise<number> {
  if (words.length > 1) return io.fail("export takes one session id, such as: codewright sessions export 1a2b3c4d")
  const asked = args.value("format")
  const switched = (["html", "patch", "otlp", "atif"] as const).filter((one) => args.has(one))
  const wanted = [...new Set([...switched, ...(asked === undefined ? [] : [asked])])]
  if (wanted.length > 1) return io.fail(`${wanted.join(" and ")} are two formats. Give one.`)
  const format: Format = exportFormats.find((one) => one === wanted[0]) ?? "md"
  const session = await readSession(words[0], where)
  if (!session.ok) return io.fail(session.failure)
  for (const note of session.value.notes) io.warn(note)
  const text = await documentOf(session.value, format, { state: where.state, warn: io.warn })
  if (!text.ok) return io.fail(text.failure)
  if (text.value.isMasked) io.warn(maskedWords(format))
  const output = args.value("output")
  if (output === undefined) {
    io.writeForeign(text.value.text)
    return 0
  }
  const written = writeNew(resolve(output), text.value.text)
  if (!written.ok) return io.fail(written.failure)
  io.writeForeign(`Written to ${resolve(output)}\n`)
  return 0
}

export async function documentOf(
  session: ReadSession,
  format: Format,
  { state, warn }: { readonly state: string; readonly warn: (line: string) => void },
): Promise<Result<ExportedDocument, string>> {
  const { row, path, parts } = session
  switch (format) {
    case "md":
    case "html": {
      const whole: Content = { head: { title: nameOf(row), facts: factsOf(row) }, parts }
      const text = maskedJson(whole)
      const masked: Content = JSON.parse(text)
      const draw = format === "md" ? markdownDocument : htmlDocument
      return ok({ text: draw(masked.head, masked.parts), isMasked: text !== JSON.stringify(whole) })
    }
    case "json": {
      const whole = { ...row, entries: path }
      const text = maskedJson(whole, 2)
      return ok({ text: `${text}\n`, isMasked: text !== JSON.stringify(whole, null, 2) })
    }
    case "atif": {
      const agents = agentConversations(agentLogsOf(row.path))
      const whole = atifTrajectory({ sessionId: row.id, version, model: row.model }, { path, agents })
      const text = maskedJson(whole, 2)
      return ok({ text: `${text}\n`, isMasked: text !== JSON.stringify(whole, null, 2) })
    }
    case "patch": {
      const whole = await snapshotPatch(session, state)
      if (whole.ok && whole.value) {
        for (const note of whole.value.notes) warn(note)
        return ok(maskedText(whole.value.patch))
      }
      if (!whole.ok) warn(`The patch contains only edits by tools, without changes made by commands: ${whole.failure}.`)
      const { patch, left } = patchOf(path, row.cwd)
      for (const file of left) warn(`A change to ${file} is too long for the log, so the patch does not include it.`)
      return ok(maskedText(patch))
    }
    case "otlp":
      return ok({ text: (await import("#faces/cli/telemetry/export-trace.ts")).exportTrace(session), isMasked: false })
    default:
      return never(format)
  }
}

const agentConversations =
  (agentLog: StoredLog["agentLog"]): AgentConversation["agents"] =>
  (agentId) => {
    const log = agentLog(agentId)
    return log && { path: pathOf(log.entries), agents: agentConversations(log.agentLog) }
  }

interface Content {
  readonly head: Parameters<typeof markdownDocument>[0]
  readonly parts: ReadSession["parts"]
}

export interface ExportedDocument {
  readonly text: string
  readonly isMasked: boolean
}

function maskedText(whole: string): ExportedDocument {
  const text = maskSecrets(whole)
  return { text, isMasked: text !== whole }
}

const maskedWords = (format: Format): string =>
  format === "patch"
    ? "Keys and tokens in the patch are masked (****). Lines with masked values do not apply."
    : "Keys and tokens in the export are masked (****)."

/** Never overwrites a file. */
export function writeNew(path: string, text: string): Result<void, string> {
  try {
    writeFileSync(path, text, { flag: "wx", mode: 0o600 })
    return ok(undefined)
  } catch (error) {
    const isThere = codeOf(error) === "EEXIST"
    return failed(
      isThere
        ? `${path} already exists. Choose another file.`
        : `${path} cannot be written: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}
