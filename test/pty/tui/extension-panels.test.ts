/** The real program shows what extends it: a server that fails and is turned off, an agent that is watched, spoken to and stopped. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { join } from "node:path"
import { openScreenRun } from "../../kit/open-screen.ts"
import { openPlace } from "../../kit/run-codewright.ts"

setDefaultTimeout(300_000)

const idle = "> Ask anything · @ for files · / for commands"
const enter = "\r"
const escape = "\u001b"

test("servers: why one failed, what the other offers, and turning it off", async () => {
  const modules = join(import.meta.dir, "../../../node_modules/@modelcontextprotocol")
  const mcpServers = {
    memory: { command: "node", args: [join(modules, "server-memory/dist/index.js")] },
    broken: { command: "sh", args: ["-c", "echo no database >&2; exit 3"] },
  }
  using place = openPlace({ ".mcp.json": JSON.stringify({ mcpServers }) })
  await using run = await openScreenRun({ place, argv: [] })
  await run.shows(idle)
  run.type(`/mcp${enter}`)
  await run.asks(/memory +connected · project · \d+ tools · [\d.]+k? tokens/)
  await run.asks(/broken +failed · project · /)
  run.type("broken")
  await run.asks("search: broken")
  run.type(enter)
  await run.asks("Last error output")
  expect(await run.terminal.screen()).toContain("▌   no database")
  run.type("e")
  await run.asks("Disabled for this session.")
  run.type(escape)
  await run.shows(/broken +disabled · project/)
})

test("an agent at work: its transcript grows, it hears what is said to it, and it is stopped", async () => {
  const whose = { subagent_type: "general-purpose", run_in_background: false }
  const task = { description: "look around", prompt: "alpha: look around.", ...whose }
  using place = openPlace()
  await using run = await openScreenRun({
    place,
    argv: ["--allowed-tools=Bash", "go"],
    scenario: [
      { content: [{ tool: "Task", input: task }] },
      { content: [{ tool: "Bash", input: { command: "echo seen; while [ ! -e go ]; do sleep 0.05; done" } }] },
      { content: [{ tool: "Bash", input: { command: "echo more; sleep 86396" } }] },
      "It was stopped.",
    ],
  })
  await run.shows(/Bash echo seen.* · 1 tool/)
  run.type(`/tasks${enter}`)
  await run.asks(/❯ general-purpose: look around +\d+ s · 1 tool use · /)
  run.type(enter)
  await run.asks("▌ > alpha: look around.")
  run.type("t")
  await run.asks("before its next step.")
  run.type("look at the tests")
  run.type(enter)
  await run.asks("Sent.")
  place.write("go", "")
  await run.asks("▌ ○ Bash echo more; sleep 86396")
  expect(await run.terminal.screen()).toContain("▌ > look at the tests")
  run.type("x")
  await run.shows(/▌ stopped · \d+ s · 2 tool uses/)
  await run.shows("It was stopped.")
})
