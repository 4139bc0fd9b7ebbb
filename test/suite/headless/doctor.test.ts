/** `codewright doctor`: what it finds, and what it salvages. */

import { expect, test } from "bun:test"
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { openPlace, type Place, runCodewright } from "../../kit/run-codewright.ts"
import { talkIn } from "../../kit/sent.ts"
import { answered, entriesOf, saidBy, writeLog } from "../../kit/write-log.ts"

const id = "0a1b2c3d-0000-4000-8000-000000000001"
const folderOf = ({ state, work }: Place): string => join(state, "projects", work.replace(/[^A-Za-z0-9]/g, "-"))
const begun = (place: Place): string =>
  writeLog(
    join(folderOf(place), `${id}.jsonl`),
    entriesOf([saidBy("one"), answered("1"), saidBy("two"), answered("2"), saidBy("three"), answered("3")]),
    { sessionId: id, cwd: place.work },
  )
const doctor = async (place: Place, ...argv: readonly string[]) => {
  const { code, stdout, stderr } = await runCodewright({ place, argv: ["doctor", ...argv] })
  return { code, stdout, stderr }
}

test.concurrent("where all is well, it says so of each thing", async () => {
  using place = openPlace()
  begun(place)
  chmodSync(place.state, 0o700)
  const { code, stdout, stderr } = await doctor(place)
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  for (const name of [
    "program",
    "state folder",
    "settings",
    "rules",
    "ripgrep",
    "git",
    "terminal",
    "logs",
    "catalogue",
  ])
    expect(stdout).toMatch(new RegExp(`^ok    ${name}: `, "m"))
  const { checks } = JSON.parse((await doctor(place, "--json")).stdout) as { checks: { name: string }[] }
  expect(checks.find(({ name }) => name === "logs")).toEqual({
    name: "logs",
    ok: true,
    message: "1 of this folder, none damaged",
    state: "good",
  } as never)
})

test.concurrent("the sandbox is tried for real, and whether it is on is said", async () => {
  using place = openPlace()
  const off = await doctor(place)
  expect(off.stdout).toMatch(/^ok {4}sandbox: a command ran in bubblewrap; off, except for commands that only read$/m)
  place.write(join(place.state, "settings.json"), '{"sandbox": {"enabled": true}}')
  expect((await doctor(place)).stdout).toMatch(/^ok {4}sandbox: a command ran in bubblewrap; on$/m)
})

test.concurrent("broken settings, rules that mean nothing, a damaged log and open doors are each named", async () => {
  using place = openPlace()
  const log = begun(place)
  writeFileSync(log, readFileSync(log, "utf8").replace("two", "twa"))
  chmodSync(place.state, 0o755)
  place.write(join(place.state, "settings.json"), '{"permissions": {"deny": ["Bash("]}}')
  const rules = await doctor(place)
  expect(rules.code).toBe(1)
  expect(rules.stdout).toMatch(/^wrong rules: /m)
  expect(rules.stdout).toContain(`1 of 1 are damaged:\n  ${id}: codewright doctor --repair ${id}\n`)
  expect(rules.stdout).toContain("can be read by other users. Run chmod 700 on the folder.")
  place.write(join(place.state, "settings.json"), "{")
  const settings = await doctor(place)
  expect(settings.code).toBe(1)
  expect(settings.stdout).toMatch(/^wrong settings: .*settings\.json:1:2: /m)
})

test.concurrent("--repair salvages into a new session that goes on; the old one stays as it was", async () => {
  using place = openPlace()
  const log = begun(place)
  const damaged = `${readFileSync(log, "utf8").replace('"text":"1"', '"text":"!"')}{"torn`
  writeFileSync(log, damaged)
  const { code, stdout, stderr } = await doctor(place, "--repair", "0a1b")
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  expect(stdout).toContain("5 entries were recovered into ")
  expect(stdout).toContain("Damaged lines: 3.\nThe last line was cut off (6 bytes).\nAt 1 place something is lost")
  expect(readFileSync(log, "utf8")).toBe(damaged)
  const made = /codewright --resume (\S+)/.exec(stdout)?.[1] ?? ""
  expect(readdirSync(folderOf(place)).sort()).toEqual([`${id}.jsonl`, `${made}.jsonl`].sort())
  const run = await runCodewright({ place, argv: ["-p", "four", "--resume", made], scenario: ["4"] })
  expect(run).toMatchObject({ code: 0, stdout: "4\n", stderr: "" })
  expect(talkIn(run.requests[0])).toEqual([
    "user: one | two",
    "assistant: 2",
    "user: three",
    "assistant: 3",
    "user: four",
  ])
  const again = JSON.parse((await doctor(place, "--repair", id, "--json")).stdout)
  expect(again).toMatchObject({ from: id, entries: 5, state: { damaged: [3], tornBytes: 6, gaps: 1 } })
})

test.concurrent("bad input", async () => {
  using place = openPlace()
  mkdirSync(place.state)
  const says = async (...argv: readonly string[]) => {
    const { code, stdout, stderr } = await doctor(place, ...argv)
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    return stderr
  }
  expect(await says("--repair")).toContain("needs a value")
  expect(await says("--repair", "ffff")).toStartWith("error: No session id starts with 'ffff'")
  expect(await says("please")).toBe("error: doctor takes no arguments, but got 'please'.\n")
  expect(await says("--heal")).toContain("unknown option '--heal'")
  expect((await doctor(place, "--help")).stdout).toContain("--repair <session>")
})
