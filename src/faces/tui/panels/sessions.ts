/** The panel of conversations: searched as one types, with the last things said in the one that is pointed at. */

import { costText } from "#lib/figures.ts"
import { bold, cyan, dim } from "#faces/tui/screen/style.ts"
import { fitted, wrapped } from "#faces/tui/screen/width.ts"
import { forReading } from "#lib/printable.ts"
import { ageText } from "#lib/age.ts"
import type { SessionRow } from "#session/opening/choices.ts"
import type { ListDefinition, PanelOutcome, PanelRow, Preview } from "./panel.ts"
import type { SaidRow, SessionsPort } from "./ports.ts"

/** Rows shown of each message. */
const mostRows = 4

export function sessionsPanel<T>(parts: {
  readonly port: SessionsPort
  readonly now: () => number
  readonly query: string
  readonly choose: (id: string) => PanelOutcome<T>
}): ListDefinition<T> {
  const { port, now, query, choose } = parts
  return {
    kind: "list",
    title: "Resume a conversation",
    empty: "No conversations in this folder yet.",
    search: "loader",
    query,
    enterLabel: "resume",
    async load(words, signal) {
      const rows = await port.list(words, signal)
      return rows.ok ? rows.value.map((row) => rowOf(row, now())) : { why: rows.failure }
    },
    preview: async ({ key }, signal) => drawSaid(await port.preview(key, signal)),
    choose: async ({ key }) => choose(key),
  }
}

function rowOf({ id, title, firstPrompt, changedAt, branch, messages, costUsd }: SessionRow, now: number): PanelRow {
  const facts = [
    ageText(now - changedAt),
    `${messages} ${messages === 1 ? "message" : "messages"}`,
    ...(costUsd > 0 ? [costText(costUsd)] : []),
    ...(branch === undefined ? [] : [branch]),
  ]
  const name = title ?? firstPrompt.split("\n", 1)[0] ?? ""
  return { key: id, text: name.trim() === "" ? "(no prompt)" : name, facts: facts.join(" · ") }
}

const drawSaid =
  (said: readonly SaidRow[]): Preview =>
  (columns) =>
    said.flatMap(({ by, text }) => {
      const rows = wrapped(forReading(text).trim(), columns - 2)
      const shown = rows.length > mostRows ? [...rows.slice(0, mostRows - 1), "…"] : rows
      return shown.map((row, i) => {
        const mark = by === "person" && i === 0 ? cyan(">") : " "
        return fitted(`${mark} ${by === "person" ? bold(row) : dim(row)}`, columns)
      })
    })
