/** Gates on every face: the program with -p, a client of the SDK, and plain lines; in bypass mode, which passes everything else. */

import { describe, expect, test } from "bun:test"
import { existsSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { SimRequest } from "#sim/request.ts"
import type { ScenarioFunction } from "#sim/scenario.ts"
import { bash, calls, says, use, write } from "../../kit/script.ts"
import { openPlace, runCodewright } from "../../kit/run-codewright.ts"

const bypass = ["--dangerously-skip-permissions"]
const env = { IS_SANDBOX: "1" }

const planFile = ({ messages }: SimRequest): string =>
  /[^\s"\\`]*\/plans\/[\w-]+\.md/.exec(JSON.stringify(messages))?.[0] ?? "none.md"

interface Row {
  readonly gate: string
  readonly script: ScenarioFunction
  /** What must not exist afterwards. */
  readonly absent: string
  /** What the model is told. */
  readonly told: string
}

const replies =
  (...all: readonly ((request: SimRequest) => ReturnType<typeof says>)[]): ScenarioFunction =>
  (request, { turn }) =>
    all[turn]?.(request) ?? says("I stop here.")

const rows: readonly Row[] = [
  {
    gate: "clarify",
    script: replies(() => calls(write("a.txt", "x\n"))),
    absent: "a.txt",
    told: "The task is not confirmed yet",
  },
  {
    gate: "plan",
    script: replies(
      () => calls(write("a.txt", "x\n")),
      (request) => calls(write(planFile(request), "# Plan\n")),
      () => calls(use("ExitPlanMode", {})),
      () => calls(write("a.txt", "x\n")),
    ),
    absent: "a.txt",
    told: "Plan mode is on",
  },
  {
    gate: "files",
    script: replies(() => calls(write("a.txt", "x\n"))),
    absent: "a.txt",
    told: "New files are reviewed in this session",
  },
  {
    gate: "git",
    script: replies(() => calls(bash("git init -q ."))),
    absent: ".git",
    told: "the user's consent",
  },
  {
    gate: "testFirst",
    script: replies(() => calls(write("a.txt", "x\n"))),
    absent: "a.txt",
    told: "Tests come first in this session",
  },
]

describe("nobody to ask", () => {
  test.concurrent.each(rows)(
    "$gate holds with -p, by flag and by the project's settings",
    async ({ gate, script, absent, told }) => {
      for (const by of ["flag", "settings"]) {
        using place = openPlace(
          by === "flag" ? {} : { ".codewright/settings.json": JSON.stringify({ gates: { [gate]: true } }) },
        )
        const run = await runCodewright({
          place,
          env,
          argv: ["-p", "go", "--output-format", "json", ...bypass, ...(by === "flag" ? ["--gates", gate] : [])],
          scenario: script,
        })
        expect([by, run.code]).toEqual([by, 0])
        expect(existsSync(join(place.work, absent))).toBe(false)
        const said = JSON.stringify(run.requests.map(({ body }) => body))
        expect(said).toContain(told)
      }
    },
  )

  test("a gate of the settings or of an earlier run is left out where that is said, and only there", async () => {
    using place = openPlace()
    place.write(join(place.state, "settings.json"), JSON.stringify({ gates: { files: true } }))
    const run = async (...argv: readonly string[]) => {
      const ran = await runCodewright({
        place,
        env,
        argv: ["-p", "go", ...bypass, ...argv],
        scenario: ({ messages }) =>
          JSON.stringify(messages.at(-1)).includes("tool_result") ? says("Done.") : calls(write("a.txt", "x\n")),
      })
      expect(ran.code).toBe(0)
      const isThere = existsSync(join(place.work, "a.txt"))
      rmSync(join(place.work, "a.txt"), { force: true })
      return isThere
    }
    expect(await run()).toBe(false)
    expect(await run("--continue", "--open-gates", "files")).toBe(true)
    expect(await run("--continue")).toBe(false)
    const wrong = await runCodewright({ place, argv: ["-p", "go", "--gates", "git", "--open-gates", "git"] })
    expect([wrong.code, wrong.stderr]).toEqual([
      1,
      expect.stringContaining("The gate git cannot be in --gates and in --open-gates."),
    ])
  })

  test("a project cannot turn one off, and a wrong name is refused", async () => {
    using place = openPlace({ ".codewright/settings.json": JSON.stringify({ gates: { files: false } }) })
    place.write(join(place.state, "settings.json"), JSON.stringify({ gates: { files: true } }))
    await runCodewright({
      place,
      env,
      argv: ["-p", "go", "--trust", ...bypass],
      scenario: replies(() => calls(write("a.txt", "x\n"))),
    })
    expect(existsSync(join(place.work, "a.txt"))).toBe(false)
    const wrong = await runCodewright({ place, argv: ["-p", "go", "--gates", "files,gti"] })
    expect([wrong.code, wrong.stderr]).toEqual([
      1,
      expect.stringContaining("--gates takes clarify, plan, files, git, testFirst, not gti."),
    ])
  })
})
