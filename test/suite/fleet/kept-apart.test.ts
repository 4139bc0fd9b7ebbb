/** Two sessions of operators in one repository, through a worker: each has the prepared environment, and neither reads or changes what the other has. */

import { expect, test } from "bun:test"
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import type { ScenarioFunction } from "#sim/scenario.ts"
import { hasPostgres } from "../../kit/database/postgres-server.ts"
import { openFleet } from "../../kit/fleet/fleet.ts"
import { temporaryFolder } from "../../kit/tmp.ts"

/** Another run of this test, or what is left of one, has another. */
const word = `a-word-${crypto.randomUUID()}`

/** What every machine has, and much of it; the next tries have processes. */
const vast = "\\( -path /usr -o -path /sys -o -path /proc -o -name node_modules \\) -prune"

const tools = (path: string, mirror: string): readonly object[] => [
  { tool: "Bash", input: { command: `cat ${path}/secret.txt; ls -la ${path} ${path}/..; cat ${path}/.git/config` } },
  { tool: "Bash", input: { command: `find / ${vast} -o -name secret.txt -exec cat {} + 2>&1 | head -50` } },
  { tool: "Bash", input: { command: `cat /proc/[0-9]*/cwd/secret.txt; ls /proc/*/root/${path}` } },
  {
    tool: "Bash",
    input: { command: `ln -s ${path} other; cat other/secret.txt; cp -r ${path} copied; cat copied/secret.txt` },
  },
  { tool: "Read", input: { file_path: `${path}/secret.txt` } },
  { tool: "Grep", input: { pattern: "a-word", path, output_mode: "content" } },
  { tool: "Glob", input: { pattern: "**/*.txt", path } },
  { tool: "Write", input: { file_path: `${path}/written.txt`, content: "x" } },
  {
    tool: "Bash",
    input: { command: `echo x > ${path}/written.txt; rm -rf ${path}/secret.txt; echo x > ${mirror}/HEAD` },
  },
  { tool: "Bash", input: { command: "cat node_modules/made; echo mine > node_modules/made; git log --format=%s" } },
]

const scenario: ScenarioFunction = ({ messages }) => {
  const text = JSON.stringify(messages)
  const results = text.split('"tool_result"').length - 1
  const [, path, mirror] = /Look at (\S+) beside ([^\s"\\]+)/.exec(text) ?? []
  if (path !== undefined) {
    const next = tools(path, mirror ?? "")[results]
    return (next === undefined ? { content: "Done." } : { content: [next] }) as never
  }
  const command = [`echo ${word} > secret.txt; cat node_modules/made`, "touch asked"][results]
  return command === undefined ? { content: "Done." } : { content: [{ tool: "Bash", input: { command } }] }
}

test.skipIf(!hasPostgres)(
  "what one has in its clone no other reads or changes; the environment is prepared once and is each one's own",
  async () => {
    await using fleet = await openFleet(scenario)
    const { place, store } = fleet
    const source = join(place.path, "source")
    mkdirSync(source)
    const made = Bun.spawnSync(
      [
        "bash",
        "-ec",
        "git init -qb main && echo node_modules > .gitignore && echo 1 > package-lock.json && git add -A && git -c user.name=a -c user.email=a@b commit -qm base",
      ],
      { cwd: source },
    )
    expect(made.exitCode).toBe(0)
    const settings = {
      permissions: { allow: ["Bash", "Read", "Write"], ask: ["Bash(touch:*)"], defaultMode: "dontAsk" },
      server: { environments: [{ repository: source, setup: "mkdir node_modules; date +%s%N > node_modules/made" }] },
    }
    // Not in /tmp, of which confined commands have one of their own: they would find nothing there anyway.
    using apart = temporaryFolder(process.getuid?.() === 0 ? "/opt" : homedir())
    const flags = ["--workplaces", apart.join("places")]
    const worker = await fleet.startWorker({ settings, flags, state: apart.join("state") })
    const opening = { workspace: { git: { url: source } }, confined: true }
    const first = await fleet.create({ query: "Keep a secret", opening })
    await fleet.until(first, ({ stage }) => stage === "awaiting_tool_approval" || stage === "failed")
    const [{ folder = "" } = {}] = await fleet.sql<{ folder: string }>("select folder from codewright.fleet_sessions")
    const tree = join(folder, "tree")
    expect(readFileSync(join(tree, "secret.txt"), "utf8")).toBe(`${word}\n`)
    const mirrors = join(worker.state, "fleet/sources")
    const mirror = readdirSync(mirrors).find((name) => name.endsWith(".git")) ?? ""

    const query = `Look at ${tree} beside ${join(mirrors, mirror)}`
    const second = await fleet.create({ query, opening })
    const resultsOf = async (id: string): Promise<readonly string[]> =>
      (await store.lines.after(id, 0, 10_000)).filter((line) => line.includes('"type":"tool_result"'))
    const settled = ({ stage }: { readonly stage: string }): boolean =>
      ["completed", "failed", "awaiting_tool_approval"].includes(stage)
    let over = await fleet.until(second, settled)
    // Whatever is asked about is allowed.
    while (over.stage === "awaiting_tool_approval") {
      const open = (await store.approvals.of(second)).some(({ state }) => state === "open")
      if (open) await fleet.decide(second, true)
      over = await fleet.until(second, settled)
    }
    expect(over).toMatchObject({ stage: "completed", result: { ok: true, text: "Done." } })
    const seen = await resultsOf(second)
    expect(seen).toHaveLength(tools("", "").length)
    expect(seen.join("\n")).not.toContain(word)
    expect(existsSync(join(tree, "written.txt"))).toBe(false)
    expect(readFileSync(join(tree, "secret.txt"), "utf8")).toBe(`${word}\n`)
    expect(readFileSync(join(mirrors, mirror, "HEAD"), "utf8")).toBe("ref: refs/heads/main\n")

    // The same, made once; what one wrote into its own is in no other.
    const environment = readFileSync(join(tree, "node_modules/made"), "utf8")
    expect(environment).toMatch(/^\d+\n$/)
    expect(seen.at(-1)).toContain(environment.trim())
    expect(worker.stderr().split("Preparing an environment").length - 1).toBe(1)
    const third = await fleet.create({ query: "Keep a secret", opening })
    await fleet.until(third, ({ stage }) => stage === "awaiting_tool_approval" || stage === "failed")
    expect((await resultsOf(third)).join("\n")).toContain(environment.trim())
    await worker.end("SIGTERM")
  },
  Infinity,
)
