/** Commands about the program on a real screen: what has a panel, what leaves for another conversation, what is remembered. */

import { expect, test } from "bun:test"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { openOwnAnthropic } from "../../kit/anthropic/own-anthropic.ts"
import { openScreenRun } from "../../kit/open-screen.ts"
import { calls, read as reads } from "../../kit/script.ts"
import { openPlace } from "../../kit/run-codewright.ts"

const good = "sk-ant-good-0000abcd"
const bad = "sk-ant-bad-00009999"
const enter = "\r"

test("a rejected key is named on the screen, and /login changes it for the very next request", async () => {
  using place = openPlace()
  await using anthropic = await openOwnAnthropic([good], ["At last."])
  mkdirSync(place.state, { recursive: true, mode: 0o700 })
  writeFileSync(join(place.state, "key.json"), JSON.stringify({ version: 1, apiKey: bad }))
  await using run = await openScreenRun({ place, argv: [], env: anthropic.env, columns: 160 })
  await run.shows(/with claude-/)
  run.type(`hello${enter}`)
  await run.shows("key.json (…9999) was rejected (401). /login to change the key.")
  run.type(`/login${enter}`)
  await run.asks("Providers")
  run.type(enter)
  await run.asks("Paste an API key for Anthropic")
  run.type(`\u001b[200~${good}\u001b[201~`)
  run.type(enter)
  await run.shows("Anthropic accepted the key. Saved to")
  run.type(`again${enter}`)
  await run.shows("At last.")
  expect(run.terminal.raw()).not.toContain(good)
  run.type(`/logout${enter}`)
  await run.shows("Removed ")
  expect(existsSync(join(place.state, "key.json"))).toBe(false)
})

test("a key that cannot be tested is kept only on a second Enter", async () => {
  using place = openPlace()
  await using anthropic = await openOwnAnthropic([good])
  const env = { ...anthropic.env, HTTPS_PROXY: "http://127.0.0.1:9" }
  await using run = await openScreenRun({ place, argv: ["--model", "sim"], env })
  await run.shows(/with sim/)
  run.type(`/login anthropic${enter}`)
  await run.asks("Providers")
  run.type(enter)
  await run.asks("Paste an API key for Anthropic")
  run.type(`\u001b[200~${good}\u001b[201~`)
  run.type(enter)
  await run.asks("Press Enter again to save it")
  expect(existsSync(join(place.state, "key.json"))).toBe(false)
  run.type(enter)
  await run.shows("Saved to")
  expect(JSON.parse(readFileSync(join(place.state, "key.json"), "utf8"))).toMatchObject({ apiKey: good })
})

test("/config changes a setting, says in which file, and the theme changes at once", async () => {
  using place = openPlace()
  await using run = await openScreenRun({ place, argv: ["--model", "sim"] })
  await run.shows(/with sim/)
  run.type(`/config${enter}`)
  await run.asks("Theme: dark")
  run.type(enter)
  await run.asks("light-color-blind")
  run.type("2")
  await run.shows(`Saved theme = light in ${join(place.state, "settings.json")}.`)
  await run.asks("Theme: light")
  run.type("compact")
  await run.shows("Compact when the context is full: on")
  run.type(enter)
  await run.shows("Compact when the context is full: off")
  expect(JSON.parse(readFileSync(join(place.state, "settings.json"), "utf8"))).toEqual({
    theme: "light",
    autoCompact: false,
  })
})

test("/fork continues in a copy, and the first conversation stays as it was", async () => {
  using place = openPlace()
  await using run = await openScreenRun({ place, argv: [], scenario: ["One.", "Two."] })
  await run.shows(/with claude-/)
  run.type(`first${enter}`)
  await run.shows("One.")
  run.type(`/status${enter}`)
  const [, before] = /Session +([0-9a-f-]{36})/.exec(await run.shows(/Session +[0-9a-f-]{36}/)) ?? []
  run.type(`/fork${enter}`)
  await run.shows(/Resume with:[^]*with claude-[^]*> first/)
  run.type(`second${enter}`)
  await run.shows("Two.")
  const log = join(place.state, "projects", place.work.replaceAll(/[^A-Za-z0-9]/g, "-"), `${before}.jsonl`)
  expect(readFileSync(log, "utf8")).not.toContain("second")
})

test("a folder added with /add-dir can be read without a question, also after a resume", async () => {
  using place = openPlace()
  mkdirSync(join(place.path, "beside"))
  writeFileSync(join(place.path, "beside", "note.txt"), "the blue door\n")
  const read = calls(reads(join(place.path, "beside", "note.txt")))
  {
    await using run = await openScreenRun({ place, argv: [], scenario: [read, "Read it."] })
    await run.shows(/with claude-/)
    run.type(`/add-dir ../beside${enter}`)
    await run.shows("Added ../beside to the workspace.")
    run.type(`read${enter}`)
    await run.shows("Read it.")
    run.type("\u0004")
    expect(await run.exited).toBe(0)
  }
  await using again = await openScreenRun({ place, argv: ["-c"], scenario: [read, "Read it again."] })
  await again.shows(/with claude-/)
  again.type(`more${enter}`)
  await again.shows("Read it again.")
  again.type(`/status${enter}`)
  await again.shows(`also ${join(place.path, "beside")}`)
})
