/** What the user has open in their editor, and its diagnostics: told when new. */

import type { Attachment, Kit } from "#agent/words/kit.ts"
import { escapeImitations } from "#agent/words/reminder.ts"

export interface EditorView {
  readonly openFile?: string
  readonly selection?: { readonly path: string; readonly from: number; readonly to: number; readonly text: string }
  readonly diagnostics?: readonly Diagnostic[]
}

export interface Diagnostic {
  readonly path: string
  readonly line: number
  readonly severity: "error" | "warning" | "info"
  readonly message: string
}

/** Undefined if no editor is connected. */
export type ReadEditor = (signal: AbortSignal) => Promise<EditorView | undefined>

const mostSelection = 4_000
const mostDiagnostics = 30
const mostMessage = 300

export function editorKit(look: ReadEditor): Kit {
  let lastSeen = ""
  let known: ReadonlySet<string> = new Set()

  return {
    name: "editor",
    async attachments(signal): Promise<readonly Attachment[]> {
      const view = await look(signal)
      if (!view) return []
      const seen = seenWords(view)
      const lines = (view.diagnostics ?? []).map(diagnosticLine)
      const fresh = lines.filter((line) => !known.has(line)).slice(0, mostDiagnostics)
      const attachments = [
        ...(seen === "" || seen === lastSeen ? [] : [{ name: "editor_selection", text: escapeImitations(seen) }]),
        ...(fresh.length === 0
          ? []
          : [
              {
                name: "diagnostics",
                text: escapeImitations(`New in the editor's list of problems:\n${fresh.join("\n")}`),
              },
            ]),
      ]
      lastSeen = seen
      known = new Set(lines)
      return attachments
    },
  }
}

function seenWords({ openFile, selection }: EditorView): string {
  if (selection && selection.text !== "") {
    const cut = selection.text.length > mostSelection
    const text = cut ? `${selection.text.slice(0, mostSelection).toWellFormed()}\n[cut]` : selection.text
    return `In their editor the user has selected lines ${selection.from} to ${selection.to} of ${selection.path}; it may or may not matter:\n${text}`
  }
  return openFile === undefined ? "" : `In their editor the user has ${openFile} open; it may or may not matter.`
}

const diagnosticLine = ({ path, line, severity, message }: Diagnostic): string =>
  `- ${path}:${line} ${severity}: ${message.replace(/\s+/g, " ").slice(0, mostMessage).toWellFormed()}`
