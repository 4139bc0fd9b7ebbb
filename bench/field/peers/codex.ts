/** Codex: its native executable from the platform package. */

import type { Peer } from "../peer.ts"

const version = "0.169.0"
const triple = `${process.arch === "arm64" ? "aarch64" : "x86_64"}-unknown-linux-musl`

/** A provider of one's own, as its configuration page describes it. */
const provider = (url: string): readonly string[] => [
  "-m",
  "gpt-5.1",
  "-c",
  'model_provider="field"',
  "-c",
  `model_providers.field={name="Field",base_url="${url}/v1",env_key="FIELD_KEY",wire_api="responses"}`,
]

const allowed = ["--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]

export const codex: Peer = {
  id: "codex",
  title: "Codex",
  version,
  documentation: "https://developers.openai.com/codex, `codex exec --help`",
  packages: [`@openai/codex@${version}-${process.platform}-${process.arch}`],
  program: (installed) => [`${installed}/node_modules/@openai/codex/vendor/${triple}/bin/codex`],
  wire: "Responses",
  shellTool: "exec_command",
  shell: (cmd) => ({ tool: "exec_command", input: { cmd } }),
  // It has no tool for reading: it reads with commands.
  read: (path) => ({ tool: "exec_command", input: { cmd: `cat '${path}'` } }),
  env: () => ({ FIELD_KEY: "none" }),
  work: (prompt, { url }) => ["exec", ...allowed, ...provider(url), prompt],
  resume: (prompt, { url }) => ["exec", "resume", "--last", ...allowed, ...provider(url), prompt],
  plan: (prompt, { url }) => ["exec", "--json", "--skip-git-repo-check", "-s", "read-only", ...provider(url), prompt],
  planNote: "read-only sandbox: plan mode is interactive only",
  budget: { missing: "no such setting" },
  undo: { missing: "no undo" },
}
