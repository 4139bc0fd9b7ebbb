/** Commands that run unasked because they read are confined to reading, and ask once when they need more. */

import { expect, test } from "bun:test"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Question } from "#agent/words/question.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { bash, calls, says } from "../../kit/script.ts"
import { lastingFolder } from "../../kit/tmp.ts"

const decisions = (story: readonly string[]): readonly string[] =>
  story.filter((line) => /^(?:decision|grant)/.test(line))

const confined = { by: "bubblewrap", as: "reader" }

test("how a command was confined is in its result", async () => {
  await using t = await openTestSession({
    script: [calls(bash("cat a.txt")), calls(bash("touch b.txt")), says("Done.")],
    files: { "a.txt": "hello\n" },
    allow: ["Bash(touch:*)"],
    mode: "default",
  })
  await t.prompt("go")
  expect(t.results().map(({ data }) => data?.["sandbox"])).toEqual([
    confined,
    { by: "none", because: expect.any(String) },
  ])
})

/** A program on the list of readers that keeps a cache in the home folder, and fails when it cannot. */
async function openWithCache(
  commands: readonly string[],
  answers?: (question: Question) => ReturnType<NonNullable<Parameters<typeof openTestSession>[0]["answers"]>>,
) {
  const top = lastingFolder()
  mkdirSync(join(top, "bin"))
  writeFileSync(
    join(top, "bin/tree"),
    '#!/bin/sh\necho used >> "$HOME/tree-cache" || exit 3\necho "one tree $CODEWRIGHT"\n',
    { mode: 0o755 },
  )
  const childEnv = () => ({ PATH: `${join(top, "bin")}:/usr/local/bin:/usr/bin:/bin`, HOME: top, LANG: "C.UTF-8" })
  const t = await openTestSession({
    script: [...commands.map((command) => calls(bash(command))), says("Done.")],
    mode: "default",
    allow: [],
    answers,
    place: { home: top, childEnv },
  })
  return { t, cache: join(top, "tree-cache") }
}

test("one that needs more is asked about, with what it needs, and runs again without the wall", async () => {
  const asked: Question[] = []
  const { t, cache } = await openWithCache(["tree src", "tree src"], (question) => {
    asked.push(question)
    const { ask } = question
    const rule = ask.kind === "permission" ? (ask.suggestedRule ?? "") : ""
    return { kind: "allow", grants: [{ rule, destination: "session" }] }
  })
  await using _ = t
  await t.prompt("go")
  expect(asked.length).toBe(1)
  expect(asked[0]?.ask).toMatchObject({
    kind: "permission",
    title: "Bash tree src",
    suggestedRule: "Bash(tree src)",
    decision: { message: expect.stringContaining(`writing ${cache}`) },
  })
  expect(decisions(t.story())).toEqual([
    "decision allow Bash by read_only",
    "grant",
    "decision allow Bash by person",
    "decision allow Bash by rule",
  ])
  expect(t.results().map(({ content, data }) => ({ content, by: data?.["sandbox"] }))).toEqual(
    [1, 2].map(() => ({
      content: [{ type: "text", text: "one tree 1" }],
      by: { by: "none", because: expect.any(String) },
    })),
  )
  expect(readFileSync(cache, "utf8")).toBe("used\nused\n")
})

test("a no leaves the first result, with a note, and is not asked again", async () => {
  let asked = 0
  const { t, cache } = await openWithCache(["tree src", "tree src"], () => {
    asked++
    return { kind: "deny", interrupt: true }
  })
  await using _ = t
  await t.prompt("go")
  expect(asked).toBe(1)
  expect(existsSync(cache)).toBe(false)
  const [first, second] = t.results().map(({ content }) => JSON.stringify(content))
  expect(first).toContain("Exit code 3")
  expect(first).toContain(`the sandbox refused: writing ${cache}.]`)
  expect(first).toContain("and declined.]")
  expect(second).toContain(`the sandbox refused: writing ${cache}.]`)
  expect(t.results()[0]?.display).toMatchObject({
    output: expect.stringContaining(`(the sandbox refused writing ${cache})`),
  })
})

test("where nobody can be asked the model is told", async () => {
  const { t, cache } = await openWithCache(["tree src"])
  await using _ = t
  await t.prompt("go")
  expect(existsSync(cache)).toBe(false)
  expect(JSON.stringify(t.results()[0]?.content)).toContain("Nobody could be asked")
})

test("what it does without is not told", async () => {
  const { t } = await openWithCache(["tree src | wc -l"])
  await using _ = t
  await t.prompt("go")
  expect(t.results()[0]).toMatchObject({ isError: false })
  expect(JSON.stringify(t.results()[0]?.content)).not.toContain("sandbox")
})

test("without a sandbox only basic readers run unasked", async () => {
  await using t = await openTestSession({
    script: [calls(bash("cat a.txt")), calls(bash("jq . a.json")), says("Done.")],
    files: { "a.txt": "hello\n", "a.json": "{}\n" },
    mode: "default",
    allow: [],
    place: { platform: "plan9" },
  })
  await t.prompt("go")
  expect(decisions(t.story())).toEqual(["decision allow Bash by read_only", "decision deny Bash by no_one_to_ask"])
  expect(t.results()[0]?.data?.["sandbox"]).toEqual({ by: "none", because: expect.any(String) })
})
