/** `codewright completions`: scripts by which shells complete our commands, flags and sessions. */

import { existsSync } from "node:fs"
import { withCatalog } from "#ground/transcript/catalog.ts"
import { forConsent } from "#lib/printable.ts"
import { asksForHelp, type CommandHelp, commandHelp, type DescribedCommand } from "./command-help.ts"
import type { CompletedCommand } from "./completion-table.ts"
import type { Io } from "#faces/cli/io.ts"
import { nameOf } from "#faces/cli/sessions/session-line.ts"
import { whereWeAre } from "#faces/cli/where.ts"

export const help: CommandHelp = {
  usage: ["codewright completions <bash|zsh|fish>"],
  about:
    "Prints a script that completes commands, flags, sessions and settings at Tab. Load it when your shell starts, or save it where the shell looks for completions.",
  verbs: [
    ["bash", "For ~/.bashrc, or as ~/.local/share/bash-completion/completions/codewright."],
    ["zsh", "For ~/.zshrc, after compinit, or as the file _codewright in a folder of fpath."],
    ["fish", "As ~/.config/fish/completions/codewright.fish."],
  ],
  examples: [
    "source <(codewright completions bash)",
    "codewright completions fish > ~/.config/fish/completions/codewright.fish",
  ],
}

type Script = (table: readonly CompletedCommand[]) => string

const shells: { readonly [shell: string]: () => Promise<Script> } = {
  bash: async () => (await import("./complete-bash.ts")).bashCompletion,
  zsh: async () => (await import("./complete-zsh.ts")).zshCompletion,
  fish: async () => (await import("./complete-fish.ts")).fishCompletion,
}

export async function completionsCommand(
  argv: readonly string[],
  io: Io,
  commands: readonly DescribedCommand[],
): Promise<number> {
  if (asksForHelp(argv)) {
    io.write(commandHelp(help))
    return 0
  }
  const [shell = "", ...more] = argv
  // For the scripts, which ask at every Tab.
  if (shell === "sessions" && more.length === 0) return sessions(io)
  const script = Object.hasOwn(shells, shell) ? shells[shell] : undefined
  if (!script || more.length > 0)
    return io.fail("completions takes bash, zsh or fish, such as: codewright completions bash")
  const { completionTable } = await import("./completion-table.ts")
  const { flags } = await import("#faces/cli/flags/flags.ts")
  io.write((await script())(await completionTable(commands, flags)))
  return 0
}

const mostSessions = 50

/** An id and a title on each line, newest first. A title is any text: it gets no control characters, so no tab and no line of its own. */
async function sessions(io: Io): Promise<number> {
  const { catalog: file, projects, cwd } = whereWeAre()
  // Tab creates nothing where Codewright was never used.
  if (!existsSync(projects)) return 0
  const rows = await withCatalog({ file, projects }, (catalog) => catalog.list({ cwd, limit: mostSessions }))
  io.write(rows.map((row) => `${row.id}\t${forConsent(nameOf(row)).replaceAll("\t", " ")}\n`).join(""))
  return 0
}
