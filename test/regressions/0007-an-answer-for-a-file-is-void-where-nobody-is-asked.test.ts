/** A person is shown what a Write would change; a run without a person drew no such picture, and took the answer for void. */

import { expect, test } from "bun:test"
import { answerMeanwhile, closedWhileAsking } from "../kit/answer-meanwhile.ts"
import { calls, says, write } from "../kit/script.ts"

test("a Write that was allowed while nobody ran is carried out by a run without a person", async () => {
  await using t = await closedWhileAsking({ script: [calls(write("b.txt", "new\n")), says("Done.")] })
  await answerMeanwhile(t, { kind: "allow" })

  await using again = await t.reopen({ answers: undefined })
  await again.settled()
  expect(again.results()).toMatchObject([{ tool: "Write", isError: false }])
  expect(again.read("b.txt")).toBe("new\n")
})
