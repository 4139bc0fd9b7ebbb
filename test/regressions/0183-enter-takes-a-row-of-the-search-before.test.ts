/**
 * A list that is searched by its loader shows the rows of the search before until the new ones come. Whoever typed and
 * pressed Enter at once got one of those: another conversation than the one that was searched for.
 */

import { expect, test } from "bun:test"
import { deferred } from "#lib/deferred.ts"
import { drivePanels } from "#faces/tui/panels/drive.ts"
import type { PanelRow } from "#faces/tui/panels/panel.ts"
import { systemClock } from "#lib/clock.ts"

test("enter waits for the rows that were searched for", async () => {
  const found = deferred<readonly PanelRow[]>()
  const taken: string[] = []
  const panel = drivePanels<string>(
    {
      kind: "list",
      title: "Conversations",
      empty: "",
      search: "loader",
      asked: "by a key",
      enterLabel: "open",
      load: async (query) => (query === "" ? [{ key: "newest", text: "newest" }] : found.promise),
      choose: async ({ key }) => ({ kind: "closes", result: key }),
    },
    {
      clock: systemClock,
      size: () => ({ columns: 80, rows: 24 }),
      redraw: () => {},
      closed: (result) => void taken.push(result ?? "nothing"),
    },
  )
  await Bun.sleep(0)
  panel.press({ kind: "text", text: "w" })
  panel.press({ kind: "key", name: "enter" })
  await Bun.sleep(0)
  expect(taken).toEqual([])
  found.resolve([{ key: "wanted", text: "wanted" }])
  await Bun.sleep(0)
  panel.press({ kind: "key", name: "enter" })
  await Bun.sleep(0)
  expect(taken).toEqual(["wanted"])
})
