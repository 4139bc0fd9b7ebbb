/** A session that ended right after its turn left its team with a lead "at work": what the roster is told was not waited for. */

import { expect, test } from "bun:test"
import { ok } from "#lib/result.ts"
import { openLeadState } from "#team/lead-state.ts"

test("the roster hears what the lead does in order, and all of it before the team is closed", async () => {
  const heard: string[] = []
  const failures: unknown[] = []
  const state = openLeadState({
    name: "lead",
    roster: {
      async working() {
        await Bun.sleep(20)
        heard.push("working")
      },
      async idle(_name, mailTo) {
        await Bun.sleep(1)
        if (mailTo === 1) throw new Error("locked")
        heard.push(`idle ${mailTo}`)
        return ok(undefined)
      },
    },
    onFailure: (error) => void failures.push(error),
  })
  state.working()
  state.idle(1)
  state.working()
  state.idle(7)
  await state.settled()
  expect(heard).toEqual(["working", "working", "idle 7"])
  expect(failures).toEqual([new Error("locked")])
})
