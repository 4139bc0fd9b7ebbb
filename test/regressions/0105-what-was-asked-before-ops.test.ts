/** What was asked of sessions was kept in words of its own; those that still waited, or were answered, are the same ops after an update. */

import { expect, test } from "bun:test"
import { openFleetStore } from "#fleet/database/open-store.ts"
import { fleetTables } from "#fleet/database/tables.ts"
import { messageOp } from "#fleet/ops.ts"
import { onEngines } from "../kit/database/engines.ts"
import { valueOf } from "../kit/team/conformance.ts"

/** The steps before what is asked became ops. */
const before = fleetTables.steps.findIndex((step) => step.includes("update fleet_orders set content"))

const text = 'Say "hi" \\u0000 } {"kind":"gate", é\n🙂'
const rewind = { kind: "rewind", to: 'p"1,"files":', files: true, conversation: true, dryRun: false }
const cases = [
  [{ kind: "message", text }, messageOp(text)],
  [{ kind: "message", text: "" }, messageOp("")],
  [{ kind: "interrupt" }, { type: "interrupt" }],
  [rewind, { type: "rewind", promptId: rewind.to, what: "both" }],
  [
    { ...rewind, conversation: false },
    { type: "rewind", promptId: rewind.to, what: "files" },
  ],
  [
    { ...rewind, files: false },
    { type: "rewind", promptId: rewind.to, what: "conversation" },
  ],
  [
    { ...rewind, files: false, conversation: false },
    { type: "preview", promptId: rewind.to },
  ],
  [
    { ...rewind, dryRun: true },
    { type: "preview", promptId: rewind.to },
  ],
  [
    { kind: "gate", gate: "git", on: true },
    { type: "set_gate", gate: "git", on: true, by: 'an "ann"' },
  ],
  [
    { kind: "gate", gate: "files", on: false, limits: "session" },
    { type: "set_gate", gate: "files", on: false, limits: "session", by: 'an "ann"' },
  ],
  [{ kind: "unheard of" }, undefined],
] as const

onEngines(
  (connect) => {
    test("every order of before is an op, and what is unknown is kept as unknown", async () => {
      const database = await connect()
      valueOf(await database.migrate({ ...fleetTables, steps: fleetTables.steps.slice(0, before) }))
      await database.rows(
        `insert into fleet_sessions (id, title, query, mode, model, stage, opening, labels, created_by, created_at, updated_at)
       values ('s', 's', 'q', 'default', '', 'executing', '{}', '{}', 'ann', 0, 0)`,
      )
      for (const [nth, [old]] of cases.entries())
        await database.rows(
          "insert into fleet_orders (session, id, content, given_by, given_at) values ('s', $1, $2, $3, 0)",
          [String(nth), JSON.stringify(old), 'an "ann"'],
        )
      const store = valueOf(await openFleetStore(database))
      const ops = (await store.ops.waiting("s")).map(({ op }) => op)
      expect(ops).toEqual(cases.map(([, op]) => op))
      await store.close()
      await database.close()
    }, 300_000)
  },
  { empty: true },
)
