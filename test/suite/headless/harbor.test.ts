/** The Harbor adapter with a scripted model: installs a copy of the program, runs a task, leaves a trajectory, and fails honestly. */

import { expect, test } from "bun:test"
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { openSimulator } from "#sim/server.ts"
import type { Scenario } from "#sim/scenario.ts"
import { trajectory } from "../../kit/atif.ts"
import { bareRoot } from "../../kit/bare-root.ts"
import { builtProgram } from "../../kit/built-program.ts"
import { program } from "../../kit/run-codewright.ts"
import { bash, calls, says, use } from "../../kit/script.ts"
import { temporaryFolder } from "../../kit/tmp.ts"

const root = resolve(import.meta.dir, "../../..")
const needsPython = Bun.which("python3") === null

const shipped = async (): Promise<string> => (program.endsWith("/bin/codewright") ? builtProgram() : program)

interface Trial {
  readonly failure: string | null
  readonly context: { readonly cost_usd: number | null; readonly n_output_tokens: number | null }
}

/** `kind`: a folder of this machine, where the program may be anywhere, or a root that has nothing else. */
async function trial(
  scenario: Scenario,
  instruction: string,
  folder: string,
  kind: "folder" | "root" = "folder",
): Promise<Trial> {
  const opened = await openSimulator({ scenario })
  if (!opened.ok) throw new Error(opened.failure.message)
  mkdirSync(folder, { recursive: true })
  const executable = kind === "root" ? await shipped() : join(folder, "program")
  if (kind === "folder") writeFileSync(executable, `#!/bin/sh\nexec '${program}' "$@"\n`, { mode: 0o755 })
  const container = join(folder, "container")
  const child = Bun.spawn(
    ["python3", join(root, "test/kit/harbor/trial.py"), container, executable, instruction, kind],
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

test.skipIf(needsPython)(
  "in a root with only a shell it installs the program as shipped, runs, and a failure is one (needs python3)",
  async () => {
    using folder = temporaryFolder()
    const inside = bareRoot(join(folder.path, "container"), ["bash", "sh", "chmod"]).path
    const agent = use("Task", { subagent_type: "general-purpose", description: "Help", prompt: "Say hello." })
    const scenario = {
      replies: [calls(bash("echo done > result.txt"), agent), says("Hello."), says("Done.")],
    }
    const done = await trial(scenario, "do it", folder.path, "root")
    expect(done.failure).toBe(null)
    expect(readFileSync(join(inside, "app/result.txt"), "utf8")).toBe("done\n")
    const path = join(inside, "logs/agent/trajectory.json")
    const main = trajectory.parse(JSON.parse(readFileSync(path, "utf8")))
    const all = [main, ...(main.subagent_trajectories ?? [])]
    expect(all.length).toBe(2)
    // What agents spent is part of it.
    const spent = all.reduce((sum, one) => sum + (one.final_metrics?.total_completion_tokens ?? 0), 0)
    expect(done.context.n_output_tokens).toBe(spent)
    rmSync(path)
    const refuses = { ...says("never"), fault: { name: "unauthorized" as const }, times: "always" as const }
    expect((await trial({ replies: [refuses] }, "again", folder.path, "root")).failure).toContain("exit 1")
    expect(existsSync(path)).toBe(true)
  },
)
