/** opencode: its native executable from the platform package. */

import type { Peer } from "../peer.ts"

const version = "1.18.33"
const model = "anthropic/claude-opus-4-5"
const platform = `opencode-${process.platform}-${process.arch}`

export const opencode: Peer = {
  id: "opencode",
  title: "opencode",
  version,
  documentation: "https://opencode.ai/v1/docs/cli/",
  packages: [`${platform}@${version}`],
  program: (installed) => [`${installed}/node_modules/${platform}/bin/opencode`],
  wire: "Messages",
  shellTool: "bash",
  shell: (command) => ({ tool: "bash", input: { command, description: "A step" } }),
  read: (path) => ({ tool: "read", input: { filePath: path } }),
  write: (path, content) => ({ tool: "write", input: { filePath: path, content } }),
  env: ({ url }) => ({
    // Documented: configuration from the environment, an address for a provider, no updates and no sharing.
    OPENCODE_CONFIG_CONTENT: JSON.stringify({
      autoupdate: false,
      share: "disabled",
      provider: { anthropic: { options: { baseURL: `${url}/v1`, apiKey: "none" } } },
    }),
    // Without a network it would look for its list of models in vain.
    OPENCODE_DISABLE_MODELS_FETCH: "1",
  }),
  work: (prompt) => ["run", "--auto", "--format", "json", "-m", model, prompt],
  resume: (prompt) => ["run", "--auto", "--continue", "--format", "json", "-m", model, prompt],
  plan: (prompt) => ["run", "--agent", "plan", "--format", "json", "-m", model, prompt],
  budget: { missing: "no such setting" },
  undo: { missing: "interactive only (/undo)" },
}
