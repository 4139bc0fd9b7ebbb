/** What was allowed in a session and not begun there was done by its copy too: one answer, two effects. */

import { expect, test } from "bun:test"
import { answerMeanwhile, closedWhileAsking } from "../kit/answer-meanwhile.ts"
import { bash, calls, says } from "../kit/script.ts"

test("a copy asks again what was allowed in the other session and not begun there", async () => {
  await using t = await closedWhileAsking({
    script: [calls(bash("echo done >> effects.txt")), says("Done."), says("Done.")],
  })
  const questionId = await answerMeanwhile(t, { kind: "allow" })

  const again: string[] = []
  await using copy = await t.fork({
    answers: ({ id }) => {
      again.push(id)
      return { kind: "deny", words: "not here", interrupt: false }
    },
  })
  await copy.session.ask({ type: "settled" })
  expect(again).toEqual([questionId])
  await copy.session.close()
  await using original = await t.reopen({ answers: () => ({ kind: "deny", words: "asked again", interrupt: false }) })
  await original.session.ask({ type: "settled" })
  expect(original.read("effects.txt")).toBe("done\n")
})
