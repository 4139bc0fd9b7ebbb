/** Claude Code: its native executable, as the npm package installs it. */

import type { Peer } from "../peer.ts"

const version = "2.1.327"
const model = "claude-opus-4-5"
const allowed = ["--dangerously-skip-permissions", "--output-format", "stream-json", "--verbose"]

export const claudeCode: Peer = {
  id: "claude-code",
  title: "Claude Code",
  version,
  documentation:
    "https://code.claude.com/docs/en/cli-reference, https://platform.claude.com/docs/en/agent-sdk/file-checkpointing",
  // The platform package has the executable that the main package links to; Node is not needed then (it asks for 22).
  packages: [`@anthropic-ai/claude-code-${process.platform}-${process.arch}@${version}`],
  program: (installed) => [
    `${installed}/node_modules/@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`,
  ],
  wire: "Messages",
  shellTool: "Bash",
  shell: (command) => ({ tool: "Bash", input: { command, description: "A step" } }),
  read: (path) => ({ tool: "Read", input: { file_path: path } }),
  write: (path, content) => ({ tool: "Write", input: { file_path: path, content } }),
  env: ({ url }) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "none",
    // Documented for containers: bypassing permissions as root is refused without it.
    IS_SANDBOX: "1",
    // Documented: no telemetry, updates or surveys. There is no network here that they could use.
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    // Documented for the Agent SDK: without it a headless session keeps nothing to rewind to.
    CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: "1",
  }),
  work: (prompt) => ["-p", prompt, "--model", model, ...allowed],
  resume: (prompt) => ["-p", prompt, "--continue", "--model", model, ...allowed],
  plan: (prompt) => ["-p", prompt, "--model", model, "--permission-mode", "plan"],
  budget: (prompt, dollars) => ["-p", prompt, "--model", model, ...allowed, "--max-budget-usd", `${dollars}`],
  async undo({ printed, run, situation }) {
    const session = /"session_id":"([^"]+)"/.exec(printed)?.[1]
    const { readdirSync, readFileSync } = await import("node:fs")
    const folder = `${situation.place.home}/.claude/projects`
    const log = readdirSync(folder, { recursive: true, encoding: "utf8" }).find((path) =>
      path.endsWith(`${session}.jsonl`),
    )
    if (session === undefined || log === undefined) throw new Error("No session was kept.")
    const prompt = readFileSync(`${folder}/${log}`, "utf8")
      .split("\n")
      .find((line) => line.includes('"type":"user"') && line.includes("go on"))
    const id = /"uuid":"([^"]+)"/.exec(prompt ?? "")?.[1]
    if (id === undefined) throw new Error("The prompt has no id.")
    await run(["--resume", session, "--rewind-files", id])
  },
}
