/** Gemini CLI, on the Node that is installed (20 or newer). */

import { mkdirSync, writeFileSync } from "node:fs"
import type { Peer } from "../peer.ts"

const version = "0.61.0"
// A model by name: the default asks another model first which one to use.
const model = ["-m", "gemini-2.5-pro", "-o", "json"]

export const geminiCli: Peer = {
  id: "gemini-cli",
  title: "Gemini CLI",
  version,
  documentation:
    "https://geminicli.com/docs/cli, https://github.com/google-gemini/gemini-cli/blob/main/docs/cli/headless.md",
  packages: [`@google/gemini-cli@${version}`],
  program: (installed) => ["node", `${installed}/node_modules/@google/gemini-cli/bundle/gemini.js`],
  wire: "Gemini",
  shellTool: "run_shell_command",
  shell: (command) => ({ tool: "run_shell_command", input: { command, description: "A step" } }),
  read: (path) => ({ tool: "read_file", input: { file_path: path } }),
  write: (path, content) => ({ tool: "write_file", input: { file_path: path, content } }),
  prepare({ place }) {
    // Documented settings: sign in by key, no updates, no statistics.
    mkdirSync(`${place.home}/.gemini`, { recursive: true })
    writeFileSync(
      `${place.home}/.gemini/settings.json`,
      JSON.stringify({
        security: { auth: { selectedType: "gemini-api-key" } },
        general: { enableAutoUpdate: false, disableAutoUpdate: true },
        privacy: { usageStatisticsEnabled: false },
      }),
    )
  },
  env: ({ url }) => ({ GEMINI_API_KEY: "none", GOOGLE_GEMINI_BASE_URL: url }),
  work: (prompt) => ["-p", prompt, "--approval-mode", "yolo", "--skip-trust", ...model],
  resume: (prompt) => ["-p", prompt, "--resume", "latest", "--approval-mode", "yolo", "--skip-trust", ...model],
  plan: (prompt) => ["-p", prompt, "--approval-mode", "plan", "--skip-trust", ...model],
  // Its file policies/plan.toml allows leaving plan mode where nobody can be asked; our script does not try to.
  planNote: "without a screen the model may leave plan mode by itself",
  budget: { missing: "no such setting" },
  undo: { missing: "interactive only (/restore)" },
}
