/** The panels of rewinding: to which prompt, and then what: files, conversation or both, with what would change. */

import type { Effect } from "#faces/tui/effect.ts"
import { dim, green, red, yellow } from "#faces/tui/screen/style.ts"
import { fitted, widthOf, wrapped } from "#faces/tui/screen/width.ts"
import { forConsent } from "#lib/printable.ts"
import { ageText } from "#lib/age.ts"
import { counted } from "#lib/figures.ts"
import { firstLine } from "#lib/rows.ts"
import type { ListDefinition, PanelRow, Preview } from "./panel.ts"
import type { RewindFile, RewindPoint, RewindPort, RewindPreview } from "./ports.ts"

type Definition = ListDefinition<readonly Effect[]>

const mostFiles = 12

export function rewindPanel(port: RewindPort, now: () => number, query: string): Definition {
  let points: readonly RewindPoint[] = []
  return {
    kind: "list",
    title: "Rewind to a prompt",
    about: "The prompt returns to the editor, and everything after it is undone. Undo with /redo.",
    empty: "Nothing to rewind to yet.",
    search: "rows",
    query,
    enterLabel: "continue",
    async load(_, signal) {
      const come = await port.points(signal)
      if (!come.ok) return { why: come.failure }
      points = come.value
      return points.map((point) => rowOf(point, now()))
    },
    async choose({ key }, signal) {
      const point = points.find(({ promptId }) => promptId === key)
      if (!point) return { kind: "stays" }
      const preview = await port.preview(key, signal)
      return preview.ok
        ? { kind: "opens", panel: whatPanel(point, preview.value) }
        : { kind: "stays", note: preview.failure }
    },
  }
}

function rowOf({ promptId, text, at, changed, callsUncovered }: RewindPoint, now: number): PanelRow {
  const [only = ""] = changed
  const what = changed.length === 1 ? basename(only) : counted(changed.length, "file")
  const files = changed.length === 0 ? [] : [`${forConsent(what)} changed`]
  const gaps = callsUncovered === 0 ? [] : [`${counted(callsUncovered, "command")} without undo`]
  return { key: promptId, text: firstLine(text), facts: [ageText(now - at), ...files, ...gaps].join(" · ") }
}

const basename = (path: string): string => path.slice(path.lastIndexOf("/") + 1)

const force = "force"

const summaries = [
  { key: "upTo", text: "Summarize the conversation before this prompt" },
  { key: "from", text: "Summarize the conversation from this prompt on" },
] as const

/** Changes from outside this session are kept, unless that is ticked. */
function whatPanel({ promptId, text }: RewindPoint, preview: RewindPreview): Definition {
  let forced = false
  const { conflicts, files } = preview
  const rows = (): readonly PanelRow[] => [
    { key: "both", text: "Restore files and conversation" },
    { key: "conversation", text: "Restore conversation only" },
    { key: "files", text: "Restore files only" },
    ...(conflicts.length === 0
      ? []
      : [
          {
            key: force,
            text: `Also overwrite ${counted(conflicts.length, "file")} changed outside this session`,
            mark: forced ? ("on" as const) : ("off" as const),
          },
        ]),
    ...summaries,
  ]
  const isOffered = ({ key }: PanelRow): boolean =>
    files.length > 0 || key === "conversation" || summaries.some((summary) => summary.key === key)
  return {
    kind: "list",
    title: `Rewind to "${firstLine(text)}"`,
    empty: "",
    search: "none",
    enterLabel: "confirm",
    load: async () => rows().filter(isOffered),
    preview: async () => drawChanges(preview),
    async choose({ key }) {
      if (key === force) {
        forced = !forced
        return { kind: "stays" }
      }
      if (key === "upTo" || key === "from")
        return { kind: "closes", result: [{ kind: "submit", op: { type: "compact", [key]: promptId } }] }
      const what = key === "conversation" || key === "files" ? key : "both"
      const overwrites = forced && what !== "conversation"
      return {
        kind: "closes",
        result: [{ kind: "submit", op: { type: "rewind", promptId, what, ...(overwrites && { force: true }) } }],
      }
    },
  }
}

const verbs: { readonly [change in RewindFile["change"]]: string } = {
  created: "restored",
  removed: "deleted",
  modified: "changed",
}

const drawChanges =
  ({ files, conflicts, uncovered }: RewindPreview): Preview =>
  (columns) => {
    const left = uncovered.flatMap((line) => wrapped(`! Not covered: ${forConsent(line)}`, columns).map(yellow))
    const by =
      uncovered.length === 0 ? "outside this session" : "outside this session, or by a command without a snapshot,"
    const kept = conflicts.flatMap((path) =>
      wrapped(`! ${forConsent(path)} changed ${by} and is kept`, columns).map(yellow),
    )
    if (files.length === 0)
      return [dim(left.length === 0 ? "No files would change." : "No files would be restored."), ...kept, ...left]
    const widest = Math.min(Math.floor(columns / 2), Math.max(...files.map(({ path }) => widthOf(forConsent(path)))))
    const digits = String(Math.max(...files.flatMap(({ added, removed }) => [added, removed]))).length
    const rows = files.slice(0, mostFiles).map(({ path, change, added, removed }) => {
      const name = fitted(forConsent(path), widest)
      const figures = `${green(`+${added}`.padStart(digits + 1))} ${red(`-${removed}`.padStart(digits + 1))}`
      return fitted(`${name}${" ".repeat(widest - widthOf(name))}  ${figures}  ${dim(verbs[change])}`, columns)
    })
    const more = files.length > mostFiles ? [dim(`… and ${files.length - mostFiles} more`)] : []
    return [...rows, ...more, ...kept, ...left]
  }
