/** What a run loads from disk: `--setting-sources`, `--bare`, `--safe-mode`, `--managed-settings`. */

import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { keepKey } from "#ground/settings/kept-key.ts"
import { linesOf, openPlace, type Place, runCodewright } from "../../kit/run-codewright.ts"
import { bodyOf, toolsIn } from "../../kit/sent.ts"

const stream = ["-p", "hello", "--trust", "--output-format", "stream-json", "--verbose"]
const server = JSON.stringify({ mcpServers: { ours: { command: "true" } } })

/** Something of every kind, of the user and of the project; each leaves a trace when it counts. */
function full(): Place {
  const place = openPlace({
    "AGENTS.md": "Project memory.",
    "CLAUDE.local.md": "Local memory.",
    ".mcp.json": server,
    ".codewright/settings.json": JSON.stringify({
      permissions: { deny: ["Grep"] },
      hooks: { UserPromptSubmit: [{ hooks: [{ type: "command", command: "touch project-hook" }] }] },
    }),
    ".codewright/agents/theirs.md": "---\nname: theirs\ndescription: Theirs.\n---\nYou.",
    ".codewright/commands/theirs.md": "Do theirs.",
    ".codewright/skills/theirs-skill/SKILL.md": "---\nname: theirs-skill\ndescription: Theirs.\n---\nDo.",
  })
  place.write(join(place.state, "AGENTS.md"), "User memory.")
  place.write(
    join(place.state, "settings.json"),
    JSON.stringify({
      model: "haiku",
      hooks: { UserPromptSubmit: [{ hooks: [{ type: "command", command: "touch user-hook" }] }] },
    }),
  )
  place.write(join(place.state, "agents/mine.md"), "---\nname: mine\ndescription: Mine.\n---\nYou.")
  place.write(join(place.state, "commands/mine.md"), "Do mine.")
  return place
}

/** Which of them counted. */
async function traces(place: Place, ...argv: readonly string[]): Promise<readonly string[]> {
  const run = await runCodewright({ place, argv: [...stream, ...argv], scenario: ["Hi."] })
  expect(run.code).toBe(0)
  const sent = JSON.stringify(bodyOf(run.requests[0]))
  const init = linesOf(run.stdout)[0] as { agents: string[]; slash_commands: string[]; mcp_servers: { name: string }[] }
  const found: { readonly [trace: string]: boolean } = {
    "user memory": sent.includes("User memory."),
    "project memory": sent.includes("Project memory."),
    "local memory": sent.includes("Local memory."),
    "user settings": bodyOf(run.requests[0]).model === "claude-haiku-5-5",
    "project settings": !toolsIn(run.requests[0]).includes("Grep"),
    "user hook": existsSync(join(place.work, "user-hook")),
    "project hook": existsSync(join(place.work, "project-hook")),
    "user agent": init.agents.includes("mine"),
    "project agent": init.agents.includes("theirs"),
    "user command": init.slash_commands.includes("mine"),
    "project command": init.slash_commands.includes("theirs"),
    "project skill": sent.includes("theirs-skill"),
    "project server": init.mcp_servers.some(({ name }) => name === "ours"),
  }
  return Object.keys(found).filter((trace) => found[trace])
}

test.concurrent("without a word about it, everything", async () => {
  using place = full()
  expect(await traces(place)).toHaveLength(13)
})

test.concurrent("--setting-sources is also about memory files, agents, commands, skills and servers", async () => {
  using place = full()
  expect(await traces(place, "--setting-sources=user")).toEqual([
    "user memory",
    "user settings",
    "user hook",
    "user agent",
    "user command",
  ])
  using other = full()
  expect(await traces(other, "--setting-sources", "local")).toEqual(["local memory"])
})

test.concurrent("--bare loads nothing; flags still count", async () => {
  using place = full()
  expect(await traces(place, "--bare")).toEqual([])
  using other = full()
  const flags = ["--bare", "--settings", '{"permissions":{"deny":["Grep"]}}', "--mcp-config", server]
  expect(await traces(other, ...flags)).toEqual(["project settings", "project server"])
})

test.concurrent("--bare does not use a saved key", async () => {
  using place = openPlace()
  expect(keepKey(place.state, "sk-ant-of-the-user").ok).toBe(true)
  const env = { ANTHROPIC_API_KEY: undefined, ANTHROPIC_BASE_URL: undefined }
  const run = await runCodewright({ place, argv: ["-p", "hello", "--bare"], env })
  expect(run).toMatchObject({ code: 1, stdout: "" })
  expect(run.stderr).toStartWith("error: No model is configured.")
})

test.concurrent("--safe-mode keeps settings and leaves out what they and others add", async () => {
  using place = full()
  expect(await traces(place, "--safe-mode")).toEqual(["user settings", "project settings"])
})

test.concurrent("--safe-mode keeps the saved key, which --bare does not know", async () => {
  using place = openPlace()
  expect(keepKey(place.state, "sk-ant-of-the-user").ok).toBe(true)
  // A saved key goes to the provider alone, and there is no way there.
  const env = {
    ANTHROPIC_API_KEY: undefined,
    ANTHROPIC_BASE_URL: undefined,
    HTTPS_PROXY: "http://127.0.0.1:9",
    CLAUDE_CODE_MAX_RETRIES: "0",
  }
  const run = await runCodewright({ place, argv: ["-p", "hello", "--safe-mode", "--output-format=json"], env })
  expect(run.code).toBe(1)
  expect(JSON.parse(run.stdout)).toMatchObject({ terminal_reason: "api_error", is_error: true })
})

test.concurrent("--managed-settings, as JSON or in a file, are stronger than every flag", async () => {
  using place = openPlace({ "policy.json": '{"permissions":{"deny":["Bash"]}}' })
  for (const policy of ["policy.json", '{"permissions":{"deny":["Bash"]}}']) {
    const run = await runCodewright({
      place,
      argv: ["-p", "hello", "--managed-settings", policy, "--allowed-tools=Bash", "--bare"],
      scenario: ["Hi."],
    })
    expect(run).toMatchObject({ code: 0, stderr: "" })
    expect(toolsIn(run.requests[0])).not.toContain("Bash")
  }
})
