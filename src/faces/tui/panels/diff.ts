/** The panel of changes: what the session, or all since a prompt, changed in files all together; a file opens its diff. */

import { patchFiles } from "#faces/tui/changes.ts"
import { diffRows } from "#faces/tui/parts/diff.ts"
import { dim } from "#faces/tui/screen/style.ts"
import { counted } from "#lib/figures.ts"
import { firstLine } from "#lib/rows.ts"
import { never } from "#lib/never.ts"
import type { ListDefinition, PanelOutcome, PanelRow, TextDefinition } from "./panel.ts"
import { drawnOnce } from "./place.ts"
import type { ChangedFile, ChangesPort } from "./ports.ts"

interface Since {
  readonly promptId: string
  readonly text: string
}

export function changesPanel<T>(port: ChangesPort, since?: Since): ListDefinition<T> {
  let files: readonly ChangedFile[] = []
  return {
    kind: "list",
    title: since ? `Changes since "${firstLine(since.text)}"` : "Changes in this session",
    about: "All edits together, without what was rewound.",
    empty: "No files changed.",
    search: "none",
    enterLabel: "show the diff",
    keys: [
      { name: "s", about: "choose a starting prompt", run: async () => ({ kind: "opens", panel: sincePanel(port) }) },
    ],
    async load(_, signal) {
      const changes = await port.changes(since?.promptId, signal)
      if (!changes.ok) return { why: changes.failure }
      files = changes.value
      return files.length < 2 ? files.map(rowOf) : [...files.map(rowOf), totalRow(files)]
    },
    async choose({ key }): Promise<PanelOutcome<T>> {
      const file = files.find(({ path }) => path === key)
      return file ? { kind: "opens", panel: filePanel([file]) } : { kind: "opens", panel: filePanel(files) }
    },
  }
}

const rowOf = ({ path, change, added, removed, binary }: ChangedFile): PanelRow => ({
  key: path,
  text: path,
  facts: `${binary ? "binary" : `+${added} -${removed}`} · ${verbs(change)}`,
})

function totalRow(files: readonly ChangedFile[]): PanelRow {
  const sum = (of: "added" | "removed"): number => files.reduce((all, file) => all + file[of], 0)
  return { key: "", text: `All ${counted(files.length, "file")}`, facts: `+${sum("added")} -${sum("removed")}` }
}

function verbs(change: ChangedFile["change"]): string {
  switch (change) {
    case "created":
      return "new"
    case "removed":
      return "deleted"
    case "modified":
      return "modified"
    case "mode":
      return "mode changed"
    default:
      return never(change)
  }
}

function filePanel<T>(files: readonly ChangedFile[]): TextDefinition<T> {
  const [first, ...others] = files
  return {
    kind: "text",
    title: first && others.length === 0 ? first.path : `All ${counted(files.length, "file")}`,
    begins: "top",
    load: async () => ({
      draw: drawnOnce((columns) =>
        files.flatMap((file, i) => [
          ...(others.length === 0 ? [] : [...(i === 0 ? [] : [""]), file.path]),
          ...fileRows(file, columns),
        ]),
      ),
      keys: [],
    }),
  }
}

function fileRows({ patch, binary, change }: ChangedFile, columns: number): readonly string[] {
  const rows = patchFiles(patch).flatMap((diff) => diffRows(diff, columns, Number.MAX_SAFE_INTEGER).rows)
  return rows.length > 0 ? rows : [dim(binary ? "Binary file." : `No lines changed (${verbs(change)}).`)]
}

const whole = "whole"

function sincePanel<T>(port: ChangesPort): ListDefinition<T> {
  let points: readonly Since[] = []
  return {
    kind: "list",
    title: "Show changes since",
    empty: "No prompts yet.",
    search: "rows",
    enterLabel: "select",
    async load(_, signal) {
      const come = await port.points(signal)
      if (!come.ok) return { why: come.failure }
      points = come.value
      return [
        { key: whole, text: "The start of this session" },
        ...points.map(({ promptId, text }) => ({ key: promptId, text: firstLine(text) })),
      ]
    },
    async choose({ key }): Promise<PanelOutcome<T>> {
      return {
        kind: "opens",
        panel: changesPanel(
          port,
          points.find(({ promptId }) => promptId === key),
        ),
      }
    },
  }
}
