/** Written before it takes effect: whoever looks at the log at the moment of an effect finds its cause there. */

import { expect, test } from "bun:test"
import { copyFileSync } from "node:fs"
import type { Entry } from "#agent/words/entry.ts"
import { loadLog } from "#ground/transcript/load.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { bash, calls, read, says, write } from "../../kit/script.ts"
import { story } from "../../kit/story.ts"

function entriesIn(path: string): readonly Entry[] {
  const loaded = loadLog(path)
  return loaded.ok ? loaded.value.entries : []
}

test("a request reaches the server after the prompt, and the next one after the results, are in the log", async () => {
  const seen: string[][] = []
  const replies = [calls(read("a.txt"), bash("echo b")), says("Done."), says("Again.")]
  await using t = await openTestSession({
    files: { "a.txt": "a\n" },
    script: () => {
      copyFileSync(t.logPath, `${t.logPath}.copy`)
      seen.push(story(entriesIn(`${t.logPath}.copy`)))
      return replies[seen.length - 1] ?? says("?")
    },
  })
  await t.prompt("first")
  await t.prompt("second")
  expect(seen.map((lines) => lines.at(-1))).toEqual(["prompt first", "result b", "prompt second"])
})

test("a command finds its call, its decision and its intent in the log when it runs, and no result yet", async () => {
  await using t = await openTestSession({
    script: [calls(bash("cat ../state/projects/*/*.jsonl > seen.jsonl")), says("Done.")],
    mode: "default",
    allow: [],
    answers: () => ({ kind: "allow" }),
  })
  expect(await t.prompt("look")).toEqual({ reason: "completed" })
  const seen = entriesIn(t.path("seen.jsonl"))
  expect(story(seen).slice(2)).toEqual([
    "turn_start",
    "prompt look",
    "reply calls Bash",
    "question permission",
    "answer allow",
    "decision allow Bash by person",
    "intent Bash cat ../state/projects/*/*.jsonl > seen.jsonl",
  ])
  const ids = seen.flatMap((entry) => (entry.kind === "decision" || entry.kind === "intent" ? [entry.callId] : []))
  expect(new Set(ids)).toEqual(new Set([t.results()[0]?.callId ?? ""]))
  expect(ids).toHaveLength(2)
})

test("a question is in the log before anyone is shown it, and its answer before it takes effect", async () => {
  const seen: string[] = []
  await using t = await openTestSession({
    script: [calls(write("a.txt", "x")), says("Done.")],
    mode: "default",
    answers: () => {
      seen.push(t.story().findLast((line) => !line.startsWith("reply")) ?? "")
      return { kind: "allow" }
    },
  })
  await t.prompt("write")
  expect(seen).toEqual(["question permission"])
  expect(t.story().indexOf("answer allow")).toBeLessThan(t.story().indexOf("intent Write a.txt"))
})

test("what only reads leaves no intent; what acts leaves exactly one", async () => {
  await using t = await openTestSession({
    files: { "a.txt": "a\n" },
    script: [calls(read("a.txt"), write("b.txt", "b"), bash("touch c.txt")), says("Done.")],
  })
  await t.prompt("work")
  expect(t.story().filter((line) => line.startsWith("intent"))).toEqual([
    "intent Write b.txt",
    "intent Bash touch c.txt",
  ])
  expect(t.story().filter((line) => line.startsWith("decision"))).toHaveLength(3)
})

test("what was queued is in the log as soon as it was accepted", async () => {
  await using t = await openTestSession({ script: [says("One."), says("Two.")] })
  t.say("one")
  t.say("two")
  expect(t.story()).toEqual(["turn_start", "prompt one", "queued two"])
  await t.settled()
})
