/** `/workflow` starts one beside the conversation, and its end is told there. */

import { expect, test } from "bun:test"
import { deferred } from "#lib/deferred.ts"
import { openOnPaper } from "./on-paper.ts"

test("it is handed on with its words, and what is said of it is shown", async () => {
  const asked: string[] = []
  const done = deferred<void>()
  const paper = await openOnPaper(80, 24, {
    workflow(words, said) {
      asked.push(words)
      said("Started audit (wf-00000001).")
      void done.promise.then(() => said("audit is done.\n3 findings"))
    },
  })
  await paper.type('/workflow audit {"folder": "src"}\r')
  await paper.pass(50)
  expect(asked).toEqual(['audit {"folder": "src"}'])
  expect(await paper.terminal.all()).toContain("Started audit (wf-00000001).")
  done.resolve()
  await paper.pass(50)
  expect(await paper.terminal.all()).toContain("3 findings")
})

test("where it is not offered, it is no command", async () => {
  const paper = await openOnPaper(80, 24, {})
  await paper.type("/workflow audit\r")
  await paper.pass(50)
  expect(await paper.terminal.all()).not.toContain("Started")
})
