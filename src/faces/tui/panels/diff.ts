/** The review of changes: every file with its hunks, the diff of the selected one, and keeping or undoing each. */

import type { ReviewAct } from "#agent/words/entry.ts"
import type { ReviewScope } from "#agent/words/op.ts"
import { patchFiles } from "#faces/tui/changes.ts"
import { diffRows } from "#faces/tui/parts/diff.ts"
import { dim } from "#faces/tui/screen/style.ts"
import { firstChangedLine } from "#lib/diff.ts"
import { counted } from "#lib/figures.ts"
import { firstLine } from "#lib/rows.ts"
import { never } from "#lib/never.ts"
import type { ListDefinition, PanelKey, PanelOutcome, PanelRow, Preview, TextDefinition } from "./panel.ts"
import { drawnOnce } from "./place.ts"
import type { ChangesPort, ReviewedFile, ReviewPart } from "./ports.ts"

/** What a row is about: a file with all its parts, or one of them. */
interface ReviewTarget {
  readonly files: readonly ReviewedFile[]
  readonly parts: readonly ReviewPart[]
  readonly isPart: boolean
}

const everything = ""

export function changesPanel<T>(port: ChangesPort, first: ReviewScope = "session"): ListDefinition<T> {
  let scope = first
  let prompt: string | undefined
  let files: readonly ReviewedFile[] = []

  async function act(
    target: ReviewTarget | undefined,
    wish: "keep" | "undo",
    signal: AbortSignal,
  ): Promise<PanelOutcome<T>> {
    const chosen = target && actOn(target.parts, wish)
    if (!chosen)
      return { kind: "stays", note: wish === "keep" ? "Nothing left to keep here." : "Nothing to undo here." }
    const done = await port.act({ act: chosen.act, hunks: chosen.parts.map(({ id }) => id), scope }, signal)
    return done.ok
      ? { kind: "stays", ...(done.value !== "" && { note: done.value }) }
      : { kind: "stays", note: done.failure }
  }

  const undo: PanelKey<T> = {
    name: "u",
    about: "undo",
    of: "row",
    run: (row, signal) => act(row && targetOf(files, row.key), "undo", signal),
  }
  const keep: PanelKey<T> = {
    name: "k",
    about: "keep",
    of: "row",
    run: (row, signal) => act(row && targetOf(files, row.key), "keep", signal),
  }
  const since: PanelKey<T> = {
    name: "s",
    about: "pick a prompt",
    run: async () => ({ kind: "opens", panel: sincePanel(port) }),
  }

  return {
    kind: "list",
    get title() {
      return titleOf(scope, prompt)
    },
    get empty() {
      return scope === "session" ? "No files changed." : "No files changed. Press t for the whole session."
    },
    search: "none",
    enterLabel: "view",
    // Rows of code are cut rather than broken.
    aligned: "by group",
    scrolls: "each preview",
    get keys() {
      const turn: PanelKey<T> = {
        name: "t",
        about: `show the ${scope === "session" ? "turn" : "session"}`,
        async run() {
          scope = scope === "session" ? "turn" : "session"
          return { kind: "stays" }
        },
      }
      return [undo, keep, turn, since]
    },
    async load(_, signal) {
      const review = await port.review(scope, signal)
      if (!review.ok) return { why: review.failure }
      ;({ files, prompt } = { prompt: undefined, ...review.value })
      return files.length < 2 ? files.flatMap(rowsOf) : [...files.flatMap(rowsOf), totalRow(files)]
    },
    preview: async ({ key }) => targetRows(targetOf(files, key)),
    async choose({ key }): Promise<PanelOutcome<T>> {
      const target = targetOf(files, key)
      return target ? { kind: "opens", panel: targetPanel(target) } : { kind: "stays" }
    },
  }
}

function titleOf(scope: ReviewScope, prompt: string | undefined): string {
  const about = prompt === undefined ? "" : ` "${firstLine(prompt)}"`
  if (scope === "session") return "Changes in this session"
  return scope === "turn" ? `Changes in the last turn${about && `:${about}`}` : `Changes since${about}`
}

/** Undoing what is undone already restores it. */
function actOn(
  parts: readonly ReviewPart[],
  wish: "keep" | "undo",
): { readonly act: ReviewAct; readonly parts: readonly ReviewPart[] } | undefined {
  const of = (...states: readonly ReviewPart["state"][]): readonly ReviewPart[] =>
    parts.filter(({ state }) => states.includes(state))
  const standing = of("new", "kept")
  const [act, chosen] =
    wish === "keep"
      ? (["keep", of("new")] as const)
      : standing.length > 0
        ? (["undo", standing] as const)
        : (["restore", of("undone")] as const)
  return chosen.length === 0 ? undefined : { act, parts: chosen }
}

function targetOf(files: readonly ReviewedFile[], key: string): ReviewTarget | undefined {
  if (key === everything) return { files, parts: files.flatMap(({ hunks }) => hunks), isPart: false }
  for (const file of files) {
    if (file.path === key) return { files: [file], parts: file.hunks, isPart: false }
    const part = file.hunks.find(({ id }) => id === key)
    if (part) return { files: [file], parts: [part], isPart: true }
  }
  return undefined
}

/** A file with one part needs no second row for it. */
function rowsOf(file: ReviewedFile): readonly PanelRow[] {
  const { path, change, added, removed, binary, hunks } = file
  const facts = [
    binary ? "binary" : `+${added} -${removed}`,
    change === "modified" ? "" : verbs(change),
    stateOf(hunks),
  ]
    .filter(Boolean)
    .join(" · ")
  const head: PanelRow = { key: path, text: path, facts, isHead: true }
  return hunks.length < 2 ? [head] : [head, ...hunks.map(hunkRow)]
}

function hunkRow({ id, hunk, state }: ReviewPart): PanelRow {
  const lines = hunk?.lines ?? []
  const changed = lines.filter((line) => !line.startsWith(" "))
  const shown = changed.find((line) => line.startsWith("+")) ?? changed[0] ?? ""
  const line = hunk ? firstChangedLine(hunk) : 1
  const count = (mark: string): number => changed.filter((one) => one.startsWith(mark)).length
  const facts = [`+${count("+")} -${count("-")}`, state === "new" ? "" : state].filter(Boolean).join(" · ")
  return { key: id, text: `  ${line}  ${shown.slice(1).trim()}`, facts }
}

function totalRow(files: readonly ReviewedFile[]): PanelRow {
  const sum = (of: "added" | "removed"): number => files.reduce((all, file) => all + file[of], 0)
  const state = stateOf(files.flatMap(({ hunks }) => hunks))
  const facts = [`+${sum("added")} -${sum("removed")}`, state].filter(Boolean).join(" · ")
  return { key: everything, text: `All ${counted(files.length, "file")}`, facts, isHead: true }
}

function stateOf(parts: readonly ReviewPart[]): string {
  const count = (state: ReviewPart["state"]): number => parts.filter((part) => part.state === state).length
  return (["kept", "undone"] as const)
    .flatMap((state) => {
      const number = count(state)
      return number === 0 ? [] : [number === parts.length ? state : `${number} ${state}`]
    })
    .join(", ")
}

function verbs(change: ReviewedFile["change"]): string {
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

function targetPanel<T>(target: ReviewTarget): TextDefinition<T> {
  const [first, ...others] = target.files
  return {
    kind: "text",
    title: first && others.length === 0 ? first.path : `All ${counted(target.files.length, "file")}`,
    begins: "top",
    load: async () => ({ draw: targetRows(target), keys: [] }),
  }
}

function targetRows(target: ReviewTarget | undefined): Preview {
  const { files, parts, isPart } = target ?? { files: [], parts: [], isPart: false }
  return drawnOnce((columns) =>
    files.flatMap((file, i) => [
      ...(files.length === 1 ? [] : [...(i === 0 ? [] : [""]), file.path]),
      ...fileRows(file, isPart ? parts : file.hunks, columns),
    ]),
  )
}

function fileRows(
  { path, patch, binary, change }: ReviewedFile,
  parts: readonly ReviewPart[],
  columns: number,
): readonly string[] {
  const hunks = parts.flatMap(({ hunk }) => hunk ?? []).toSorted((a, b) => a.newStart - b.newStart)
  const files = hunks.length === 0 ? patchFiles(patch) : [{ path, created: false, hunks }]
  const rows = files.flatMap((diff) => diffRows(diff, columns, Number.MAX_SAFE_INTEGER).rows)
  return rows.length > 0 ? rows : [dim(binary ? "Binary file." : `No lines changed (${verbs(change)}).`)]
}

const whole = "whole"

function sincePanel<T>(port: ChangesPort): ListDefinition<T> {
  let points: readonly { readonly promptId: string; readonly text: string }[] = []
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
      return { kind: "opens", panel: changesPanel(port, key === whole ? "session" : { since: key }) }
    },
  }
}
