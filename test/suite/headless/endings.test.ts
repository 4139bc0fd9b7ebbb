/** How a run may end before its time: interrupted, terminated, unread, out of space. The log is whole each time. */

import { describe, expect, test } from "bun:test"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import type { JsonObject } from "#lib/json.ts"
import { linesOf, openPlace, type Place, runCodewright } from "../../kit/run-codewright.ts"
import { talkIn } from "../../kit/sent.ts"

const stream = ["--output-format", "stream-json", "--verbose"]

/** The lines of the only session's log: each is whole, and the last one ends the turn. */
async function logIn({ state }: Place): Promise<readonly JsonObject[]> {
  const projects = join(state, "projects")
  const [slug = ""] = readdirSync(projects)
  const name = readdirSync(join(projects, slug)).find((file) => file.endsWith(".jsonl")) ?? ""
  const text = await Bun.file(join(projects, slug, name)).text()
  expect(text).toEndWith("\n")
  // Nothing but the log is left: no lock, no scratch.
  expect(readdirSync(join(projects, slug)).filter((file) => file.endsWith(".lock"))).toEqual([])
  return linesOf(text)
}

describe("signals", () => {
  test.concurrent("SIGINT during a stream: 130, a result, and what was said is kept for the next time", async () => {
    using place = openPlace()
    const run = await runCodewright({
      place,
      argv: ["-p", "tell me", ...stream],
      scenario: [
        {
          content: ["The first part.", "The second part, of which not all is said."],
          timing: { pauses: [{ afterTokens: 8, ms: 60_000 }] },
        },
      ],
      during: async ({ shows, kill }) => {
        await shows("The first part.")
        kill("SIGINT")
      },
    })
    expect(run).toMatchObject({ code: 130, stderr: "The run was interrupted.\n" })
    expect(linesOf(run.stdout).at(-1)).toMatchObject({
      type: "result",
      subtype: "error_during_execution",
      is_error: true,
      terminal_reason: "aborted_streaming",
      stop_reason: null,
      errors: ["The run was interrupted."],
    })
    expect((await logIn(place)).at(-1)).toMatchObject({ subtype: "turn_end", codewright: { reason: "aborted" } })

    const next = await runCodewright({ place, argv: ["-p", "go on", "-c"], scenario: ["Yes."] })
    expect(next).toMatchObject({ code: 0, stdout: "Yes.\n", stderr: "" })
    const talk = talkIn(next.requests[0])
    expect(talk[0]).toBe("user: tell me")
    expect(talk[1]).toStartWith("assistant: The first part.")
    expect(talk.at(-1)).toEndWith("go on")
  })

  test.concurrent("SIGTERM during a command: 143, the command is gone, the log says so", async () => {
    using place = openPlace()
    const run = await runCodewright({
      place,
      argv: ["-p", "wait", ...stream, "--allowed-tools", "Bash"],
      scenario: [{ content: [{ tool: "Bash", input: { command: "echo $$ > pid; sleep 60; echo late > late" } }] }],
      during: async ({ kill }) => {
        while (!existsSync(join(place.work, "pid"))) await Bun.sleep(10)
        kill("SIGTERM")
      },
    })
    expect(run).toMatchObject({ code: 143 })
    expect(linesOf(run.stdout).at(-1)).toMatchObject({
      type: "result",
      subtype: "error_during_execution",
      terminal_reason: "aborted_tools",
    })
    const lines = await logIn(place)
    expect(lines.filter(({ toolUseResult }) => toolUseResult !== undefined)).toHaveLength(1)
    expect(lines.at(-1)).toMatchObject({ subtype: "turn_end", codewright: { reason: "aborted" } })
    const pid = Number(await place.read("pid"))
    expect(() => process.kill(pid, 0)).toThrow()
    expect(existsSync(join(place.work, "late"))).toBe(false)
  })

  test.concurrent("SIGTERM while a command will not end: 143 all the same, and the command is gone", async () => {
    using place = openPlace()
    const run = await runCodewright({
      place,
      argv: ["-p", "wait", "--allowed-tools", "Bash"],
      scenario: [
        { content: [{ tool: "Bash", input: { command: "trap '' TERM; echo $$ > pid; while :; do sleep 1; done" } }] },
      ],
      during: async ({ kill }) => {
        while (!existsSync(join(place.work, "pid"))) await Bun.sleep(10)
        kill("SIGTERM")
      },
    })
    expect(run.code).toBe(143)
    const pid = Number(await place.read("pid"))
    while (isAlive(pid)) await Bun.sleep(50)
    const next = await runCodewright({ place, argv: ["-p", "go on", "-c"], scenario: ["Yes."] })
    expect(next).toMatchObject({ code: 0, stdout: "Yes.\n" })
  })
})

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe("a reader that takes its time", () => {
  test.concurrent("gets everything, in order, before the program is gone", async () => {
    const answer = Array.from({ length: 40_000 }, (_, i) => `line ${i}`).join("\n")
    const run = await runCodewright({
      argv: ["-p", "tell it all"],
      wrap: '"$@" | { sleep 0.5; cat; }; exit "${PIPESTATUS[0]}"',
      scenario: [answer],
    })
    expect(run).toMatchObject({ code: 0, stderr: "" })
    expect(run.stdout).toBe(`${answer}\n`)
  })
})

describe("a reader that goes away", () => {
  test.concurrent("the run ends with the code of a broken pipe, and its log is whole", async () => {
    using place = openPlace()
    const run = await runCodewright({
      place,
      argv: ["-p", "write it", ...stream, "--permission-mode", "acceptEdits"],
      wrap: '"$@" | head -n 1; exit "${PIPESTATUS[0]}"',
      scenario: [
        { content: ["x".repeat(200_000), { tool: "Write", input: { file_path: "a.txt", content: "written\n" } }] },
        "Done.",
      ],
    })
    expect(run.code).toBe(141)
    expect(linesOf(run.stdout)).toMatchObject([{ subtype: "init" }])
    const last = (await logIn(place)).findLast(({ subtype }) => subtype !== "connection")
    expect(last).toMatchObject({ subtype: "turn_end" })
  })

  test.concurrent("standard output and error that are closed from the start", async () => {
    using place = openPlace()
    const run = await runCodewright({
      place,
      argv: ["-p", "--verbose", "write it", "--permission-mode", "acceptEdits"],
      wrap: '"$@" >&- 2>&-',
      scenario: [{ content: [{ tool: "Write", input: { file_path: "a.txt", content: "written\n" } }] }, "Done."],
    })
    expect(run).toMatchObject({ code: 0, stdout: "", stderr: "" })
    expect(await place.read("a.txt")).toBe("written\n")
  })
})

describe("a log that cannot grow", () => {
  const scenario = [
    { content: ["x".repeat(100_000), { tool: "Write", input: { file_path: "a.txt", content: "written\n" } }] },
    "Done.",
  ]
  const argv = ["-p", "write it", "--output-format", "json", "--permission-mode", "acceptEdits"]

  test.concurrent("a file at its limit ends the turn, and nothing happens unrecorded", async () => {
    using place = openPlace()
    const run = await runCodewright({ place, argv, scenario, wrap: `trap '' XFSZ; ulimit -f 32; exec "$@"` })
    expect(run.code).toBe(1)
    expect(run.stderr).toMatch(/^The session could not be saved: .*\n$/)
    expect(linesOf(run.stdout)).toMatchObject([{ subtype: "error_during_execution", is_error: true }])
    expect(linesOf(run.stdout)[0]).not.toHaveProperty("terminal_reason")
    expect(existsSync(join(place.work, "a.txt"))).toBe(false)

    const next = await runCodewright({ place, argv: ["-p", "go on", "-c"], scenario: ["Yes."] })
    expect(next).toMatchObject({ code: 0, stdout: "Yes.\n" })
  })

  const mount = 'mkdir -p "$CODEWRIGHT_HOME" && mount -t tmpfs -o size=64k none "$CODEWRIGHT_HOME"'
  const canMount = Bun.spawnSync(["unshare", "-rm", "bash", "-c", "mount -t tmpfs none /tmp"]).exitCode === 0
  // A full disk of one's own needs the right to mount; the limit above is the same to us.
  test.concurrent.skipIf(!canMount)("a full disk ends the turn, and says that it is full", async () => {
    using place = openPlace()
    const run = await runCodewright({
      place,
      argv,
      scenario,
      wrap: `exec unshare -rm bash -c '${mount} && exec "$@"' bash "$@"`,
    })
    expect(run.code).toBe(1)
    expect(run.stderr).toMatch(/^The session could not be saved: there is no space left on the disk .*\n$/)
    expect(existsSync(join(place.work, "a.txt"))).toBe(false)
  })
})

test.concurrent("a background command that still runs at the end is named, and ended", async () => {
  using place = openPlace()
  const run = await runCodewright({
    place,
    argv: ["-p", "serve", "--allowed-tools", "Bash(sleep:*)", "--background-wait=0"],
    scenario: [
      { content: [{ tool: "Bash", input: { command: "sleep 1000", run_in_background: true } }] },
      "It is started.",
    ],
  })
  expect(run).toMatchObject({
    code: 0,
    stdout: "It is started.\n",
    stderr: "Stopping a background command that is still running: bash_1, sleep 1000\n",
  })
})
