/** Trust as a table: what the person is shown, what runs before and after, and after a change. Seen from outside of the program. */

import { afterAll, describe, test } from "bun:test"
import { openNet, play } from "./play.ts"
import { rows as changes } from "./rows-changes.ts"
import { rows as hidden } from "./rows-hidden.ts"
import { rows as kinds } from "./rows-kinds.ts"
import { rows as person } from "./rows-person.ts"

const net = openNet()
afterAll(() => net[Symbol.dispose]())

const groups = { kinds, changes, hidden, person }

for (const [group, rows] of Object.entries(groups))
  describe(group, () => {
    for (const [i, row] of rows.entries()) test.concurrent(row.name, () => play(row, net, `${group}-${i}`))
  })
