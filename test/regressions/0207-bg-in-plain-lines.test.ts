/** `/bg` in a conversation in plain lines: the session goes on in the background, with what was added. */

import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { enter, openTerminal } from "../kit/open-terminal.ts"
import { openPlace, runCodewright } from "../kit/run-codewright.ts"
import { says } from "../kit/script.ts"
import { until } from "../kit/until.ts"

test("the conversation continues without the terminal", async () => {
  using place = openPlace()
  await using run = await openTerminal({
    place,
    argv: ["--screen-reader"],
    scenario: [says("First answer."), says("Second answer.")],
  })
  await run.shows("> ")
  await run.type(`hello${enter}`)
  await run.shows("First answer.")
  await run.type(`/bg and then some${enter}`)
  await run.shows("continues in the background")
  expect(await run.exited).toBe(0)
  const listed = async () => JSON.parse((await runCodewright({ place, argv: ["agents", "--json"] })).stdout).sessions
  await until(async () => (await listed())[0]?.state === "done")
  expect(await listed()).toMatchObject([{ last: "Second answer.", background: true }])
  while (existsSync(join(place.state, "background/host.lock"))) await Bun.sleep(20)
})
