/** Going on with a session that one half remembers, with a copy of it, or with one that is open elsewhere. */

import { describe, expect, test } from "bun:test"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { linesOf, openPlace, type Place, runCodewright } from "../../kit/run-codewright.ts"
import { talkIn } from "../../kit/sent.ts"

const id = "0a1b2c3d-1111-4222-8333-444455556666"
const other = "0a1b9999-1111-4222-8333-444455556666"
const projectFolder = ({ work, state }: Place): string => join(state, "projects", work.replace(/[^A-Za-z0-9]/g, "-"))
const logOf = (place: Place, session = id): string => join(projectFolder(place), `${session}.jsonl`)
const logsIn = (place: Place): string[] => readdirSync(projectFolder(place)).filter((name) => name.endsWith(".jsonl"))

const begun = async (place: Place, sessionId: string, prompt: string): Promise<void> => {
  const run = await runCodewright({ place, argv: ["-p", prompt, "--session-id", sessionId], scenario: ["Noted."] })
  expect(run).toMatchObject({ code: 0, stderr: "" })
}
const refused = async (place: Place, ...argv: readonly string[]): Promise<string> => {
  const run = await runCodewright({ place, argv: ["-p", "go on", ...argv] })
  expect(run).toMatchObject({ code: 1, stdout: "", requests: [] })
  return run.stderr
}

test.concurrent("--resume by the beginning of an id, by a title, by words; several are listed", async () => {
  using place = openPlace()
  await begun(place, id, "mend the parser")
  await begun(place, other, "paint the parser green")
  await runCodewright({ place, argv: ["sessions", "rename", other, "Colours"] })
  const goesOn = async (...words: readonly string[]) => {
    const run = await runCodewright({ place, argv: ["-p", "go on", "--resume", ...words], scenario: ["Yes."] })
    expect(run).toMatchObject({ code: 0, stdout: "Yes.\n", stderr: "" })
    return talkIn(run.requests[0])[0]
  }
  expect(await goesOn("0a1b2c")).toBe("user: mend the parser")
  expect(await goesOn("colours")).toBe("user: paint the parser green")
  expect(await goesOn("mend parser")).toBe("user: mend the parser")
  const several = await refused(place, "--resume", "parser")
  expect(several).toStartWith("error: Several conversations match 'parser'. Give the id of one to --resume:\n")
  expect(several).toContain(id)
  expect(several).toContain(other)
  expect(await refused(place, "--resume", "no such words")).toBe(
    "error: No conversation has all of these words: no such words\n",
  )
  expect(await refused(place, "--resume", "nonsense")).toBe("error: No conversation found with session ID: nonsense\n")
})

describe("--fork-session", () => {
  test.concurrent("goes on with a copy: the session it comes from stays as it was, even when it is open", async () => {
    using place = openPlace()
    await begun(place, id, "first")
    const before = readFileSync(logOf(place), "utf8")
    place.write(`${logOf(place)}.lock`, String(process.pid))
    const fork = await runCodewright({
      place,
      argv: ["-p", "second", "--continue", "--fork-session", "--output-format=json"],
      scenario: ["Two."],
    })
    expect(fork).toMatchObject({ code: 0, stderr: "" })
    expect(talkIn(fork.requests[0])).toEqual(["user: first", "assistant: Noted.", "user: second"])
    expect(readFileSync(logOf(place), "utf8")).toBe(before)
    const forkId = String(linesOf(fork.stdout)[0]?.session_id)
    expect(forkId).not.toBe(id)
    expect(logsIn(place).sort()).toEqual([`${forkId}.jsonl`, `${id}.jsonl`].sort())
    const [header, ...lines] = linesOf(readFileSync(logOf(place, forkId), "utf8"))
    expect(header).toMatchObject({ sessionId: forkId, parentSession: id, cwd: place.work })
    expect(lines.every(({ sessionId }) => sessionId === forkId)).toBe(true)
    const list = await runCodewright({ place, argv: ["sessions", "list", "--json"] })
    const costs = (JSON.parse(list.stdout) as { id: string; parent?: string; costUsd: number }[]).toSorted((a, b) =>
      a.id === id ? -1 : b.id === id ? 1 : 0,
    )
    expect(costs).toMatchObject([{ id }, { id: forkId, parent: id }])
    // What was copied was paid for once.
    expect(costs[1]?.costUsd).toBeGreaterThan(0)
  })

  test.concurrent("with an id of one's own, and only where there is something to copy", async () => {
    using place = openPlace()
    await begun(place, id, "first")
    const fork = await runCodewright({
      place,
      argv: ["-p", "second", "--resume", id, "--fork-session", "--session-id", other],
      scenario: ["Two."],
    })
    expect(fork).toMatchObject({ code: 0, stdout: "Two.\n" })
    expect(logsIn(place).sort()).toEqual([`${id}.jsonl`, `${other}.jsonl`])
    expect(await refused(place, "--resume", id, "--fork-session", "--session-id", other)).toContain("already exists")
    expect(await refused(place, "--fork-session")).toStartWith("error: --fork-session needs --resume or --continue")
    expect(await refused(place, "--take-over")).toStartWith("error: --take-over needs --resume or --continue")
    expect(await refused(place, "-c", "--fork-session", "--take-over")).toContain("Use one of them.")
    expect(logsIn(place)).toHaveLength(2)
  })
})

test.concurrent("--take-over: the process that has it open is asked to stop, and the work goes on here", async () => {
  using place = openPlace()
  let second: Awaited<ReturnType<typeof runCodewright>> | undefined
  let told = ""
  const first = await runCodewright({
    place,
    argv: ["-p", "work", "--session-id", id, "--allowed-tools", "Bash", "--output-format=stream-json", "--verbose"],
    scenario: [{ content: ["I begin.", { tool: "Bash", input: { command: "sleep 60" } }] }],
    async during(running) {
      await running.shows('"tool_use"')
      told = await refused(place, "--resume", id)
      second = await runCodewright({
        place,
        argv: ["-p", "go on", "--resume", id, "--take-over"],
        scenario: ["Here I am."],
      })
    },
  })
  expect(first.code).toBe(143)
  expect(told).toContain("--fork-session to continue in a copy, or --take-over to ask that process to stop")
  expect(second).toMatchObject({ code: 0, stdout: "Here I am.\n" })
  expect(talkIn(second?.requests[0])[0]).toBe("user: work")
  expect(existsSync(`${logOf(place)}.lock`)).toBe(false)
  // One after the other: every line has the one before it as its parent.
  const lines = linesOf(readFileSync(logOf(place), "utf8")).slice(1)
  expect(lines.map(({ parentUuid }) => parentUuid)).toEqual([null, ...lines.slice(0, -1).map(({ uuid }) => uuid ?? "")])
  const third = await runCodewright({ place, argv: ["-p", "x", "-c", "--take-over"], scenario: ["Free."] })
  expect(third).toMatchObject({ code: 0, stdout: "Free.\n" })
})
