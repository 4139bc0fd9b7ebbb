/** The list of what is said of a part of the session, as a panel. */

import { optional } from "#lib/optional.ts"
import type { ListReport, ReportRow } from "#session/slash/reports.ts"
import type { ListDefinition, PanelRow } from "./panel.ts"

export const reportList = <T, Of>(
  { title, about, empty, rows }: ListReport<Of>,
  load: (signal: AbortSignal) => Promise<Of>,
  query: string,
  more: Pick<ListDefinition<T>, "choose"> & Partial<ListDefinition<T>>,
): ListDefinition<T> => ({
  kind: "list",
  title,
  ...optional("about", about),
  empty,
  search: "rows",
  query,
  enterLabel: "open",
  load: async (_, signal) => rows(await load(signal)).map(panelRow),
  ...more,
})

export const panelRow = ({ facts, ...row }: ReportRow): PanelRow => ({
  ...row,
  ...(facts.length > 0 && { facts: facts.join(" · ") }),
})
