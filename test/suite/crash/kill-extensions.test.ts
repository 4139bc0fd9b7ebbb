/** kill -9 while hooks, servers, agents and their commands are at work: nothing of them survives, and the next start is as good as the first. */

import { expect, test } from "bun:test"
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { JsonObject } from "#lib/json.ts"
import { isRunning } from "../../kit/is-running.ts"
import { openPlace, type Place, runCodewright, type RunOptions } from "../../kit/run-codewright.ts"
import { bash, calls, says, use, write } from "../../kit/script.ts"
import { on } from "../hooks/hooks.ts"
import { cast, task } from "../subagents/cast.ts"

/** Never ends by itself nor when it is asked to, and leaves a second process that has left its group. */
const stays = (pids: string, name: string): string =>
  `trap '' TERM HUP; (setsid sh -c 'echo $$ > ${pids}/${name}-astray; exec sleep 600' >/dev/null 2>&1 &); echo $$ > ${pids}/${name}; while :; do sleep 600; done`

interface Trap extends Place {
  /** The folder in which each process says its id. */
  readonly pids: string
}

function openTrap(hooks: (command: (name: string) => string) => JsonObject): Trap {
  const place = openPlace({ "a.txt": "a\n" })
  const pids = join(place.path, "pids")
  place.write("../pids/.keep", "")
  place.write("../state/settings.json", JSON.stringify({ hooks: hooks((name) => stays(pids, name)) }))
  for (const argv of [
    ["init", "-q"],
    ["add", "-A"],
    ["commit", "-qm", "first"],
  ])
    spawnSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", ...argv], { cwd: place.work })
  return { ...place, pids }
}

/** Kills the program once all of these are there, and waits until none of them is. */
async function killed(place: Trap, names: readonly string[], run: RunOptions): Promise<void> {
  const wanted = names.flatMap((name) => [name, `${name}-astray`])
  const saidBy = (name: string): string => {
    const file = join(place.pids, name)
    return existsSync(file) ? readFileSync(file, "utf8") : ""
  }
  const { code } = await runCodewright({
    ...run,
    place,
    async during({ kill }) {
      while (!wanted.every((name) => saidBy(name).endsWith("\n"))) await Bun.sleep(20)
      kill("SIGKILL")
    },
  })
  expect(code).toBe(137)
  expect(readdirSync(place.pids).filter((name) => !name.startsWith("."))).toHaveLength(wanted.length)
  while (wanted.some((name) => isRunning(Number(saidBy(name))))) await Bun.sleep(50)
}

test.concurrent("a session that is about to begin: its hook, and a server that has not answered", async () => {
  using place = openTrap((command) => ({ SessionStart: [on(command("hook"))] }))
  const server = { command: "sh", args: ["-c", stays(place.pids, "server")] }
  await killed(place, ["hook", "server"], {
    argv: ["--mcp-config", JSON.stringify({ mcpServers: { server } }), "-p", "go"],
    scenario: ["Hello."],
  })
})

test.concurrent(
  "a hook before an agent's call, an agent's command in a worktree, and one in the background",
  async () => {
    using place = openTrap((command) => ({ PreToolUse: [on(command("hook"), {}, "Write")] }))
    const argv = ["--trust", "--allowedTools", "Bash,Edit", "-p", "go"]
    await killed(place, ["hook", "apart", "background"], {
      argv,
      scenario: cast({
        main: [calls(task("alpha", { isolation: "worktree", run_in_background: true }), task("beta")), says("Done.")],
        alpha: [calls(bash(stays(place.pids, "apart"))), says("never said")],
        beta: [
          calls(use("Bash", { command: stays(place.pids, "background"), run_in_background: true })),
          calls(write("w.txt", "x")),
          says("never said"),
        ],
      }),
    })
    const again = await runCodewright({
      place,
      argv,
      scenario: cast({
        main: [calls(task("alpha", { isolation: "worktree" })), says("Done again.")],
        alpha: [calls(bash("cat a.txt && git status --porcelain && touch b.txt")), says("It works.")],
      }),
    })
    expect({ code: again.code, stdout: again.stdout }).toEqual({ code: 0, stdout: "Done again.\n" })
    expect(JSON.stringify(again.requests.at(-1)?.body)).toContain("Its changes are in the worktree")
  },
)
