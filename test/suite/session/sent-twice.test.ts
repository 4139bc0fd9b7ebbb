/** A client that is not sure whether its prompt was taken may send it again: it is said once. */

import { expect, test } from "bun:test"
import type { Op } from "#agent/words/op.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { bash, calls, says } from "../../kit/script.ts"

const prompt = (promptId: string, text: string): Op => ({
  type: "prompt",
  promptId,
  content: [{ type: "text", text }],
  when: "queue",
})

test("while it runs, while it waits, after its turn, and after a resume", async () => {
  await using t = await openTestSession({
    script: [calls(bash("touch on; until [ -e go ]; do sleep 0.01; done")), says("One."), says("Two."), says("Three.")],
  })
  await t.session.submit(prompt("a", "first"))
  expect(await t.session.submit(prompt("a", "first"))).toEqual({ ok: true, value: undefined })
  while (!(await Bun.file(t.path("on")).exists())) await Bun.sleep(5)
  await t.session.submit(prompt("b", "second"))
  await t.session.submit(prompt("a", "first"))
  await t.session.submit(prompt("b", "second"))
  await Bun.write(t.path("go"), "")
  await t.session.ask({ type: "settled" })
  await t.session.submit(prompt("b", "second"))
  await using again = await t.reopen()
  await again.session.submit(prompt("a", "first"))
  await again.session.submit(prompt("c", "third"))
  await again.session.ask({ type: "settled" })
  expect(again.story().filter((line) => line.startsWith("prompt"))).toEqual([
    "prompt first",
    "prompt second",
    "prompt third",
  ])
})
