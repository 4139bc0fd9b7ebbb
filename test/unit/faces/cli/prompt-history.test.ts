/** What was said before, on the disk: bounded, private, and never in the way. */

import { expect, test } from "bun:test"
import { appendFileSync, chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { openPromptHistory } from "#faces/cli/terminal/prompt-history.ts"
import { systemClock } from "#lib/clock.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

const open = (state: string, cwd = "/home/ada/project") =>
  openPromptHistory({ state, cwd, pid: 42, clock: { ...systemClock, now: () => 7 } })

test("each folder has its own, in a file that only its owner reads", async () => {
  using tmp = temporaryFolder()
  open(tmp.path).add("fix the\nparser")
  open(tmp.path).add("!ls")
  open(tmp.path).add("!ls")
  open(tmp.path, "/home/ada/other").add("elsewhere")
  expect(await open(tmp.path).load()).toEqual(["fix the\nparser", "!ls"])
  expect(await open(tmp.path, "/home/ada/other").load()).toEqual(["elsewhere"])
  const file = tmp.join("history", "-home-ada-project.jsonl")
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(statSync(tmp.join("history")).mode & 0o777).toBe(0o700)
  expect(readFileSync(file, "utf8")).toBe(
    '{"at":7,"text":"fix the\\nparser"}\n{"at":7,"text":"!ls"}\n{"at":7,"text":"!ls"}\n',
  )
})

test("lines that are none, and one that was cut off, do not spoil the others", async () => {
  using tmp = temporaryFolder()
  const history = open(tmp.path)
  history.add("one")
  const file = tmp.join("history", "-home-ada-project.jsonl")
  appendFileSync(file, 'nonsense\n\n{"text":3}\n[]\nnull\n{"at":1}\n{"text":""}\n{"at":1,"text":"cut o')
  expect(await history.load()).toEqual(["one"])
  history.add("two")
  expect(await open(tmp.path).load()).toEqual(["one", "two"])
})

test("it does not grow for ever", async () => {
  using tmp = temporaryFolder()
  mkdirSync(tmp.join("history"))
  const file = tmp.join("history", "-home-ada-project.jsonl")
  writeFileSync(file, Array.from({ length: 2500 }, (_, i) => `{"text":"${i}"}\n`).join(""))
  const history = open(tmp.path)
  const loaded = await history.load()
  expect([loaded.length, loaded[0], loaded.at(-1)]).toEqual([1000, "1500", "2499"])
  expect(readFileSync(file, "utf8").split("\n")).toHaveLength(1001)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readdirSync(tmp.join("history"))).toEqual(["-home-ada-project.jsonl"])
  history.add("x".repeat(200_000))
  expect((await history.load()).at(-1)).toBe("2499")
})

test("where nothing can be written nothing fails", async () => {
  using tmp = temporaryFolder()
  writeFileSync(tmp.join("history"), "a file, not a folder")
  const history = open(tmp.path)
  history.add("lost")
  expect(await history.load()).toEqual([])
  chmodSync(tmp.path, 0o700)
})
