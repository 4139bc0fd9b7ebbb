/** A declined edit left no trace of what was declined: its difference stays with the call. */

import { expect, test } from "bun:test"
import { openTestSession } from "../kit/open-test-session.ts"
import { openScreenRun } from "../kit/open-screen.ts"
import { openPlace } from "../kit/run-codewright.ts"
import { bash, calls, edit, read, says } from "../kit/script.ts"

for (const words of [undefined, "use a constant"])
  test(`the result of an edit declined ${words ? "with words" : "without a word"} holds the difference, and the model is told none`, async () => {
    await using t = await openTestSession({
      script: [calls(read("a.js")), calls(edit("a.js", "one", "two")), says("Understood."), says("Understood.")],
      files: { "a.js": "one\n" },
      mode: "default",
      answers: () => ({ kind: "deny", interrupt: words === undefined, ...(words && { words }) }),
    })
    await t.prompt("change it")
    const last = t.results().at(-1)
    expect(last).toMatchObject({
      tool: "Edit",
      isError: true,
      display: { kind: "diff", path: expect.stringContaining("a.js") },
    })
    expect(JSON.stringify(last?.content)).not.toContain("+two")
    expect(t.read("a.js")).toBe("one\n")
    expect(await t.ask({ type: "changes" })).toMatchObject({ ok: true, value: [] })
  })

test("a declined command has nothing more to show", async () => {
  await using t = await openTestSession({
    script: [calls(bash("touch x")), says("Understood.")],
    mode: "default",
    allow: [],
    answers: () => ({ kind: "deny", interrupt: true }),
  })
  await t.prompt("run it")
  expect(t.results().at(-1)?.display).toBeUndefined()
})

test("on the screen it stays below the call", async () => {
  using place = openPlace({ "a.js": "const price = one\n" })
  await using run = await openScreenRun({
    place,
    argv: ["change it"],
    scenario: [
      { content: [{ tool: "Read", input: { file_path: "a.js" } }] },
      { content: [{ tool: "Edit", input: { file_path: "a.js", old_string: "one", new_string: "two" } }] },
      "Understood.",
    ],
  })
  await run.asks("Apply this edit")
  run.type("\u001b")
  await run.shows("Declined")
  const all = await run.shows(/⊘ Edit a\.js[\s\S]*const price = two[\s\S]*> Ask anything/)
  expect(all).not.toContain("Apply this edit to a.js?\n▌")
})
