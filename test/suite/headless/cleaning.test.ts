/** Old sessions and debug logs are removed once a day, also where nobody ever opens a terminal. */

import { expect, test } from "bun:test"
import { existsSync, utimesSync } from "node:fs"
import { join } from "node:path"
import { openPlace, runCodewright } from "../../kit/run-codewright.ts"

const days = (count: number): Date => new Date(Date.now() - count * 24 * 60 * 60 * 1000)

test("a run without a terminal cleans up, and not again on the same day", async () => {
  using place = openPlace()
  const old = {
    session: join(place.state, "projects", "-somewhere", "11111111-1111-4111-8111-111111111111.jsonl"),
    log: join(place.state, "logs", "old.jsonl"),
  }
  const fresh = join(place.state, "logs", "fresh.jsonl")
  const age = (): void => {
    for (const path of [old.session, old.log]) {
      place.write(path, "{}\n")
      utimesSync(path, days(40), days(40))
    }
  }
  place.write(fresh, "{}\n")
  age()
  expect(await runCodewright({ place, argv: ["-p", "hi"], scenario: ["Hello."] })).toMatchObject({ code: 0 })
  expect([existsSync(old.session), existsSync(old.log), existsSync(fresh)]).toEqual([false, false, true])
  age()
  expect(await runCodewright({ place, argv: ["-p", "hi"], scenario: ["Hello."] })).toMatchObject({ code: 0 })
  expect([existsSync(old.session), existsSync(old.log)]).toEqual([true, true])
})
