/** Items as rows, one after another: calls that only look, and follow one another, share a row. */

import type { Gathers } from "#agent/words/tool.ts"
import type { CallItem, Item } from "#faces/view/item.ts"
import { forConsent } from "#lib/printable.ts"
import { dim, green, red, yellow } from "#faces/tui/screen/style.ts"
import { fitted, widthOf } from "#faces/tui/screen/width.ts"
import type { Detail } from "./display.ts"
import { itemRows } from "./item.ts"

export function itemsRows(items: readonly Item[], columns: number, detail: Detail, cwd?: string): string[] {
  if (detail === "full") return items.flatMap((item) => itemRows(item, columns, detail, cwd))
  return runsIn(items).flatMap((run) => {
    const [first, ...more] = run
    if (first === undefined) return []
    const calls = run.filter((item) => item.kind === "call")
    return more.length > 0 && calls.length > 1 ? runRows(calls, columns, detail) : itemRows(first, columns, detail, cwd)
  })
}

/** Single items, and runs of reads and searches, including thinking between those. */
function runsIn(items: readonly Item[]): readonly (readonly Item[])[] {
  const runs: Item[][] = []
  for (let at = 0; at < items.length;) {
    const end = isGathering(items[at]) ? runEnd(items, at) : at + 1
    runs.push(items.slice(at, end))
    at = end
  }
  return runs
}

function runEnd(items: readonly Item[], start: number): number {
  let end = start + 1
  for (let at = end; at < items.length; at++) {
    const item = items[at]
    if (isGathering(item)) end = at + 1
    else if (item?.kind !== "thinking") break
  }
  return end
}

/** Failures and refusals are shown on their own. */
const isGathering = (item: Item | undefined): boolean =>
  item?.kind === "call" && item.gathers !== undefined && item.state !== "denied" && item.state !== "failed"

const hint = "Ctrl+O for details"

function runRows(calls: readonly CallItem[], columns: number, detail: Detail): string[] {
  const running = calls.filter(({ state }) => state === "waiting" || state === "running" || state === "writing")
  const mark =
    running.length > 0 ? yellow("●") : calls.every(({ state }) => state === "dropped") ? red("●") : green("●")
  const words = runWords(calls, running.length > 0 ? "now" : "done")
  const names = namesOf(calls).join(", ")
  const room = columns - 2 - widthOf(words) - 2
  const beside = widthOf(names) <= room ? names : detail === "folded" ? hint : fitted(names, room)
  const head = `${mark} ${fitted(room >= widthOf(beside) ? `${words}  ${dim(beside)}` : words, columns - 2)}`
  const doing = running.at(-1)
  return ["", head, ...(doing ? [`    ${dim(fitted(forConsent(doing.title), columns - 4))}`] : [])]
}

const namesOf = (calls: readonly CallItem[]): readonly string[] => [
  ...new Set(calls.map(({ title }) => forConsent(title.slice(title.indexOf(" ") + 1)))),
]

const verbs: { readonly [what in Gathers]: { readonly now: string; readonly done: string; readonly one: string } } = {
  file: { now: "reading", done: "read", one: "file" },
  pattern: { now: "searching for", done: "searched for", one: "pattern" },
  folder: { now: "listing", done: "listed", one: "folder" },
}

/** `Read 12 files, searched for 3 patterns`. */
function runWords(calls: readonly CallItem[], when: "now" | "done"): string {
  const kinds = [...new Set(calls.flatMap(({ gathers }) => gathers ?? []))]
  const parts = kinds.map((what) => {
    const count = namesOf(calls.filter(({ gathers }) => gathers === what)).length
    return `${verbs[what][when]} ${count} ${verbs[what].one}${count === 1 ? "" : "s"}`
  })
  const words = parts.join(", ")
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`
}
