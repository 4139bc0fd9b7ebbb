/** pi, on a Node of its own: it needs 22.19 or newer. */

import { mkdirSync, writeFileSync } from "node:fs"
import type { Peer } from "../peer.ts"

// 1.3.0 to 1.5.0 depend on a package that is not on the registry; 1.0.3 was not tried.
const version = "0.87.1"
const node = `node-${process.platform}-${process.arch}`
const model = ["--provider", "anthropic", "--model", "claude-opus-4-5"]

export const pi: Peer = {
  id: "pi",
  title: "pi",
  version,
  documentation: "https://github.com/earendil-works/pi/blob/main/packages/coding-agent/docs/cli.md",
  packages: [`@earendil-works/pi-coding-agent@${version}`, `${node}@24.21.0`],
  program: (installed) => [
    `${installed}/node_modules/${node}/bin/node`,
    `${installed}/node_modules/@earendil-works/pi-coding-agent/dist/cli.js`,
  ],
  wire: "Messages",
  shellTool: "bash",
  shell: (command) => ({ tool: "bash", input: { command } }),
  read: (path) => ({ tool: "read", input: { path } }),
  write: (path, content) => ({ tool: "write", input: { path, content } }),
  prepare({ place, url }) {
    // Documented: another address for a provider it knows.
    mkdirSync(`${place.home}/.pi/agent`, { recursive: true })
    writeFileSync(`${place.home}/.pi/agent/models.json`, JSON.stringify({ providers: { anthropic: { baseUrl: url } } }))
  },
  env: () => ({ ANTHROPIC_API_KEY: "none", PI_SKIP_VERSION_CHECK: "1" }),
  work: (prompt) => ["-p", prompt, ...model],
  resume: (prompt) => ["-p", prompt, "--continue", ...model],
  plan: { missing: "no plan mode" },
  budget: { missing: "no such setting" },
  undo: { missing: "no undo" },
}
