/** The Harbor adapter with a scripted model: installs a copy of the program, runs a task, leaves a trajectory, and fails honestly. */

import { expect, test } from "bun:test"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { openSimulator } from "#sim/server.ts"
import type { Scenario } from "#sim/scenario.ts"
import { trajectory } from "../../kit/atif.ts"
import { program } from "../../kit/run-codewright.ts"
import { bash, calls, says } from "../../kit/script.ts"
import { temporaryFolder } from "../../kit/tmp.ts"

const root = resolve(import.meta.dir, "../../..")
const needsPython = Bun.which("python3") === null

interface Trial {
  readonly failure: string | null
  readonly context: { readonly cost_usd: number | null; readonly n_output_tokens: number | null }
}

async function trial(scenario: Scenario, instruction: string, folder: string): Promise<Trial> {
  const opened = await openSimulator({ scenario })
  if (!opened.ok) throw new Error(opened.failure.message)
  // A program that needs its folder is called there; a built one is copied as it is.
  mkdirSync(folder)
  const executable = join(folder, "program")
  writeFileSync(executable, `#!/bin/sh\nexec '${program}' "$@"\n`, { mode: 0o755 })
  const child = Bun.spawn(
    ["python3", join(root, "test/kit/harbor/trial.py"), join(folder, "container"), executable, instruction],
    {
      env: {
        PATH: process.env["PATH"],
        PYTHONPATH: `${join(root, "test/kit/harbor")}:${join(root, "integrations/harbor")}`,
        PYTHONDONTWRITEBYTECODE: "1",
        ANTHROPIC_API_KEY: "none",
        ANTHROPIC_BASE_URL: opened.value.url,
      },
      stdio: ["ignore", "pipe", "pipe"],
    },
  )
  const [out, complained] = await Promise.all([child.stdout.text(), child.stderr.text()])
  await opened.value.close()
  expect(complained).toBe("")
  return JSON.parse(out) as Trial
}

test.skipIf(needsPython)(
  "a task is done, and the trajectory says what was done and spent (needs python3)",
  async () => {
    using folder = temporaryFolder()
    const scenario = { replies: [calls(bash("echo done > result.txt")), says("Done.")] }
    const { failure, context } = await trial(scenario, "--- do it, 'now'", folder.join("a"))
    const inside = join(folder.join("a"), "container")
    expect(failure).toBe(null)
    expect(readFileSync(join(inside, "app/result.txt"), "utf8")).toBe("done\n")
    const { steps } = trajectory.parse(JSON.parse(readFileSync(join(inside, "logs/agent/trajectory.json"), "utf8")))
    expect(steps.filter(({ source }) => source !== "system").map(({ source, message }) => [source, message])).toEqual([
      ["user", "--- do it, 'now'"],
      ["agent", ""],
      ["agent", "Done."],
    ])
    expect(context.n_output_tokens).toBeGreaterThan(0)
    expect(context.cost_usd).toBeGreaterThan(0)
  },
)

test.skipIf(needsPython)(
  "a run that cannot finish is a failure, and its trajectory is there (needs python3)",
  async () => {
    using folder = temporaryFolder()
    const scenario = {
      replies: [{ ...says("never"), fault: { name: "unauthorized" as const }, times: "always" as const }],
    }
    const { failure } = await trial(scenario, "do it", folder.join("a"))
    expect(failure).toContain("exit 1")
    const path = join(folder.join("a"), "container/logs/agent/trajectory.json")
    const { steps } = trajectory.parse(JSON.parse(readFileSync(path, "utf8")))
    expect(steps.at(-1)?.source).not.toBe("agent")
  },
)
