/** The list of what is said of a part of the session, as a panel. */

import { optional } from "#lib/optional.ts"
import type { ListLook, LookRow } from "#session/slash/looks.ts"
import type { ListDefinition, PanelRow } from "./panel.ts"

export const lookList = <T, Of>(
  { title, about, empty, rows }: ListLook<Of>,
  load: (signal: AbortSignal) => Promise<Of>,
  query: string,
  more: Pick<ListDefinition<T>, "take"> & Partial<ListDefinition<T>>,
): ListDefinition<T> => ({
  kind: "list",
  title,
  ...optional("about", about),
  empty,
  search: "rows",
  query,
  takes: "open",
  load: async (_, signal) => rows(await load(signal)).map(panelRow),
  ...more,
})

export const panelRow = ({ facts, ...row }: LookRow): PanelRow => ({
  ...row,
  ...(facts.length > 0 && { facts: facts.join(" · ") }),
})
