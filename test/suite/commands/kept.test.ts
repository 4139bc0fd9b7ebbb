/** A command as a fact: how the log keeps it, how it is played again, and what hooks have to say before it runs anything. */

import { expect, test } from "bun:test"
import { reduce } from "#faces/view/reduce.ts"
import { emptyView } from "#faces/view/view.ts"
import { openTestSession, type TestSession, type TestSessionOptions } from "../../kit/open-test-session.ts"
import { playAgain } from "../../kit/play-again.ts"
import { bash, calls, says } from "../../kit/script.ts"

const files = {
  "note.txt": "a note\n",
  ".claude/commands/make.md":
    "---\nallowed-tools: Bash(touch:*)\nmodel: claude-opus-5-5\n---\nMake $1. It says: !`cat note.txt`",
}

const start = (options: Partial<TestSessionOptions> = {}): Promise<TestSession> =>
  openTestSession({
    allow: [],
    mode: "default",
    files,
    script: [calls(bash("touch made")), says("Made.")],
    extensions: { claudeFolder: "/nonexistent", bundled: false },
    ...options,
    place: { trusted: true, ...options.place },
  })

test("the log keeps what was typed, what it became and what it brought along; faces show what was typed", async () => {
  await using t = await start()
  await t.prompt("/make it")
  const command = { typed: "/make it", allowedTools: ["Bash(touch:*)"], model: "claude-opus-5-5" }
  expect(t.entries().filter(({ kind }) => kind === "prompt")).toMatchObject([{ command }])
  expect((await t.ask({ type: "points" })).ok).toBe(true)
  await using again = await t.reopen()
  expect(again.entries().filter(({ kind }) => kind === "prompt")).toMatchObject([{ command }])
  const view = again.entries().reduce((seen, entry) => reduce(seen, { type: "entry", entry }), emptyView)
  expect(view.items.flatMap((item) => (item.kind === "prompt" ? [item.text] : []))).toEqual(["/make it"])
})

test("played again it is what it was, with the same model and the same permission, whatever its file says by now", async () => {
  await using first = await start({ answers: () => undefined })
  await first.prompt("/make it")
  const { seen, second } = await playAgain(first, (port) =>
    start({
      script: [],
      files: { ...files, ".claude/commands/make.md": "Something else." },
      answers: () => undefined,
      model: { port, given: false },
    }),
  )
  expect(seen).toEqual({ first: undefined, requests: 2, results: 1 })
  expect(second.read("made")).toBe("")
  await second[Symbol.asyncDispose]()
})

test("a hook that refuses the prompt refuses all of it: nothing is run first", async () => {
  await using t = await start({
    files: { ".claude/commands/slip.md": "---\nallowed-tools: Bash\n---\n!`touch ran`" },
    hooks: {
      UserPromptSubmit: [{ hooks: [{ type: "command", command: "if grep -q slip; then echo no >&2; exit 2; fi" }] }],
    },
  })
  expect(await t.prompt("/slip")).toMatchObject({ reason: "blocked_by_hook" })
  expect(() => t.read("ran")).toThrow()
  expect(t.requests()).toEqual([])
})

test("a hook before calls sees what a command runs first, and can refuse it", async () => {
  await using t = await start({
    script: [says("Seen.")],
    files: { ".claude/commands/look.md": "---\nallowed-tools: Bash\n---\nSee !`touch ran` here." },
    hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "echo not today >&2; exit 2" }] }] },
  })
  await t.prompt("/look")
  expect(() => t.read("ran")).toThrow()
  expect(JSON.stringify(t.requests()[0])).toContain("not today")
})
