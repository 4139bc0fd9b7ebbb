/** Codewright, measured like the others: the built program, with everything allowed. */

import { resolve } from "node:path"
import manifest from "../../../package.json" with { type: "json" }
import type { Peer } from "../peer.ts"

const model = "claude-opus-4-5"

export const codewright: Peer = {
  id: "codewright",
  title: "Codewright",
  version: manifest.version,
  packages: [],
  program: () => [resolve(import.meta.dir, "../../../dist/codewright")],
  wire: "Messages",
  shellTool: "Bash",
  shell: (command) => ({ tool: "Bash", input: { command, description: "A step" } }),
  read: (path) => ({ tool: "Read", input: { file_path: path } }),
  write: (path, content) => ({ tool: "Write", input: { file_path: path, content } }),
  env: ({ url }) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "none",
    // As for Claude Code: bypassing permissions as root is refused without it.
    IS_SANDBOX: "1",
  }),
  work: (prompt) => ["-p", prompt, "--model", model, "--dangerously-skip-permissions", "--output-format", "json"],
  resume: (prompt) => ["-p", prompt, "--continue", "--dangerously-skip-permissions", "--output-format", "json"],
  plan: (prompt) => ["-p", prompt, "--model", model, "--permission-mode", "plan"],
  budget: (prompt, dollars) => [
    "-p",
    prompt,
    "--model",
    model,
    "--dangerously-skip-permissions",
    "--max-budget-usd",
    `${dollars}`,
  ],
  async undo({ printed, run }) {
    const id = /"session_id":\s*"([^"]+)"/.exec(printed)?.[1] ?? ""
    await run(["rewind", id, "--to", "1"])
  },
}
