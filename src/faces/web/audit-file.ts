/** The audit as a file: every entry, as CSV or as lines of JSON, read while it is sent. */

import type { AuditEntry } from "#fleet/records.ts"
import type { FleetRecords } from "#fleet/store.ts"
import { plainHeaders } from "./responses.ts"
import { time } from "#fleet/shown-approval.ts"

export const auditFormats = ["csv", "jsonl"] as const
export type AuditFormat = (typeof auditFormats)[number]

const page = 1000

interface Written {
  readonly type: string
  readonly head: string
  readonly line: (entry: AuditEntry) => string
}

const written: { readonly [format in AuditFormat]: Written } = {
  csv: {
    type: "text/csv; charset=utf-8",
    head: "at,who,what,session,session title,approval,shown as,tool,command,files,digest,digest shown,digest allowed,digest run,before,after,answers,message,address,reason\r\n",
    line: ({ at, who, what, sessionId = "", sessionTitle = "", approvalId = "", details = {} }) => {
      const {
        title,
        tool,
        command,
        files,
        digest,
        shown,
        allowed,
        ran,
        before,
        after,
        answers,
        message,
        address,
        reason,
      } = details
      const texts = [time(at), who, what, sessionId, sessionTitle, approvalId, title, tool, command, files?.join("\n")]
      const values = [before, after, answers].map((value) => value && JSON.stringify(value))
      const cells = [...texts, digest, shown, allowed, ran, ...values, message, address, reason]
      return `${cells.map((text = "") => cell(text)).join(",")}\r\n`
    },
  },
  jsonl: {
    type: "application/jsonl; charset=utf-8",
    head: "",
    line: ({ seq: _seq, at, ...entry }) => `${JSON.stringify({ at: time(at), ...entry })}\n`,
  },
}

/** A program for tables runs what begins like a formula. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export function auditFile(audit: FleetRecords["audit"], format: AuditFormat): Response {
  const { head, line } = written[format]
  const encoder = new TextEncoder()
  let after = 0
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => (head === "" ? undefined : controller.enqueue(encoder.encode(head))),
    async pull(controller) {
      const entries = await audit(after, page)
      after = entries.at(-1)?.seq ?? after
      if (entries.length > 0) controller.enqueue(encoder.encode(entries.map(line).join("")))
      if (entries.length < page) controller.close()
    },
  })
  return new Response(stream, { headers: auditFileHeaders(format) })
}

export const auditFileHeaders = (format: AuditFormat): { readonly [name: string]: string } => ({
  ...plainHeaders,
  "content-type": written[format].type,
  "content-disposition": `attachment; filename="codewright-audit.${format}"`,
})
