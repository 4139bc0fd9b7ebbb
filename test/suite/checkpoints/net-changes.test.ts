/** What a session changed all together: each file once, without what was rewound, in a folder without git too. */

import { expect, test } from "bun:test"
import { act, promptId } from "../../kit/going-back.ts"
import { openTestSession, type TestSession } from "../../kit/open-test-session.ts"
import { bash, calls, says } from "../../kit/script.ts"

async function changed(t: TestSession, since?: string): Promise<readonly string[]> {
  const changes = await t.ask({ type: "changes", ...(since !== undefined && { since }) })
  if (!changes.ok) throw new Error(changes.failure)
  return changes.value.map(({ path, change, added, removed }) => `${change} ${path} +${added} -${removed}`)
}

test("edits of several turns are one change; what was rewound is none", async () => {
  await using t = await openTestSession({
    files: { "old.txt": "one\ntwo\n", "gone.txt": "x\n" },
    script: [
      calls(bash("printf 'one\\n2\\n' > old.txt; echo made > new.txt")),
      says("First."),
      calls(bash("printf 'one\\nzwei\\n' > old.txt; rm gone.txt")),
      says("Second."),
    ],
  })
  await t.prompt("first")
  await t.prompt("second")
  expect(await changed(t)).toEqual(["removed gone.txt +0 -1", "created new.txt +1 -0", "modified old.txt +1 -1"])
  expect(await changed(t, promptId(t, "second"))).toEqual(["removed gone.txt +0 -1", "modified old.txt +1 -1"])
  const all = await t.ask({ type: "changes" })
  expect(all.ok && all.value.find(({ path }) => path === "old.txt")?.patch).toContain("\n one\n-two\n+zwei\n")
  await act(t, { type: "rewind", promptId: promptId(t, "second"), what: "both" })
  expect(await changed(t)).toEqual(["created new.txt +1 -0", "modified old.txt +1 -1"])
  await act(t, { type: "rewind", promptId: promptId(t, "first"), what: "both" })
  expect(await changed(t)).toEqual([])
})
