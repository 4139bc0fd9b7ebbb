/** A command means something else in another folder: a session resumed elsewhere ran there what was allowed here. */

import { expect, test } from "bun:test"
import { existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { answerMeanwhile, closedWhileAsking } from "../kit/answer-meanwhile.ts"
import { bash, calls, says } from "../kit/script.ts"

test("a command that was allowed in one folder is asked about again when it would run in another", async () => {
  await using t = await closedWhileAsking({ script: [calls(bash("echo x >> count.txt")), says("Done.")] })
  await answerMeanwhile(t, { kind: "allow" })

  const elsewhere = join(t.root, "../elsewhere")
  mkdirSync(elsewhere)
  await using again = await t.reopen({ place: { cwd: elsewhere } })
  const asked = await Promise.race([again.until(({ type }) => type === "question_open"), again.settled()])
  expect(asked).toMatchObject({ type: "question_open", question: { ask: { cwd: elsewhere } } })
  expect(existsSync(join(elsewhere, "count.txt"))).toBe(false)
})
