/** `codewright import`: settings, servers, rules, files and conversations of another agent, after a preview. */

import { resolve } from "node:path"
import type { FoundSetup, ImportPlaces } from "#ground/import/found.ts"
import { parseJsonc } from "#ground/settings/jsonc.ts"
import { systemIds } from "#lib/ids.ts"
import { nearNames } from "#lib/near.ts"
import { forConsent } from "#lib/printable.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { tilde } from "#lib/tilde.ts"
import { parseArguments } from "#faces/cli/flags/argv.ts"
import type { Flag } from "#faces/cli/flags/flag.ts"
import { asksForHelp, type CommandHelp, commandHelp } from "#faces/cli/help/command-help.ts"
import type { Io } from "#faces/cli/io.ts"
import { whereWeAre, type Where } from "#faces/cli/where.ts"
import { type ImportPlan, type ImportStep, planImport, type StepKind } from "./steps.ts"

type ImportFlag = "dry-run" | "yes" | "from" | "with-secrets"

const table: readonly Flag<ImportFlag>[] = [
  { name: "dry-run", kind: "switch", about: "Show what would be imported, and write nothing." },
  { name: "yes", also: ["-y"], kind: "switch", about: "Import without asking." },
  { name: "from", kind: "value", takes: "folder", about: "Read this folder instead of the usual one." },
  {
    name: "with-secrets",
    kind: "switch",
    about: "Also copy keys and tokens of MCP servers. Without it, each becomes a variable of your environment.",
  },
]

interface Source {
  readonly title: string
  readonly folder: string
  readonly find: (places: ImportPlaces) => Promise<FoundSetup>
}

const sources: { readonly [name: string]: Source } = {
  claude: {
    title: "Claude Code",
    folder: "~/.claude",
    find: async (places) => (await import("#ground/import/claude.ts")).findClaude(places),
  },
  codex: {
    title: "Codex",
    folder: "~/.codex",
    find: async (places) => (await import("#ground/import/codex.ts")).findCodex(places),
  },
  gemini: {
    title: "Gemini CLI",
    folder: "~/.gemini",
    find: async (places) => (await import("#ground/import/gemini.ts")).findGemini(places),
  },
  opencode: {
    title: "opencode",
    folder: "~/.config/opencode and ~/.local/share/opencode",
    find: async (places) => (await import("#ground/import/opencode.ts")).findOpencode(places),
  },
}

export const help: CommandHelp = {
  usage: ["codewright import claude|codex|gemini|opencode [options]"],
  about:
    "Imports your settings, MCP servers, permission rules, commands, agents, skills, instructions and conversations from another agent. Shows first what would be written where. The other agent's files are only read, and nothing of yours is overwritten.",
  table,
  examples: ["codewright import codex --dry-run", "codewright import gemini", "codewright import opencode --yes"],
}

export async function importCommand(argv: readonly string[], io: Io): Promise<number> {
  if (asksForHelp(argv)) {
    io.write(commandHelp(help))
    return 0
  }
  const parsed = parseArguments<ImportFlag>(argv, table)
  if (!parsed.ok) return io.fail(parsed.failure.message)
  const { rest, value, has } = parsed.value
  const [name = "", ...more] = rest
  const source = Object.hasOwn(sources, name) ? sources[name] : undefined
  if (!source || more.length > 0) return io.fail(unknownWords(name, more))
  const where = whereWeAre()
  const from = value("from")
  const found = await source.find({
    home: where.home,
    from: from === undefined ? undefined : resolve(from),
    parseJson(text) {
      const read = parseJsonc(text)
      return read.ok ? ok(read.value.value) : failed(`not JSON: ${read.failure.message} (line ${read.failure.line})`)
    },
  })
  const plan = planImport(found, { source: name, where, withSecrets: has("with-secrets"), ids: systemIds })
  io.say(previewText(plan, source, from, where))
  const fresh = plan.steps.filter(({ state }) => state === "new")
  if (fresh.length === 0 || has("dry-run")) return 0
  if (!has("yes")) {
    if (!process.stdin.isTTY || !process.stdout.isTTY) {
      io.say("Nothing was written. To import: add --yes")
      return 0
    }
    const { agrees } = await import("#faces/cli/terminal/agrees.ts")
    if (!(await agrees("Import this?"))) {
      io.say("Nothing was written.")
      return 0
    }
  }
  return write(fresh, io)
}

function unknownWords(name: string, more: readonly string[]): string {
  if (more.length > 0) return `import takes one source, and got '${[name, ...more].join(" ")}'.`
  const names = Object.keys(sources)
  const near = name === "" ? undefined : nearNames(name, names, 1)[0]
  const said = name === "" ? "import needs a source" : `import has no source '${name}'`
  return `${said}${near === undefined ? `: ${names.join(", ")}.` : `; did you mean ${near}?`}`
}

/** What cannot be written is named, and the rest goes on: importing again does what is missing. */
function write(steps: readonly ImportStep[], io: Io): number {
  let done = 0
  for (const step of steps) {
    const written = attempted(step)
    if (written.ok) done++
    else io.warn(`Not imported: ${forConsent(step.line)}: ${written.failure}`)
  }
  const conversations = steps.filter(({ kind }) => kind === "conversation").length
  io.say(
    `Imported ${done} of ${steps.length}.${conversations > 0 ? " See your conversations with: codewright sessions list" : ""}`,
  )
  return done === steps.length ? 0 : 1
}

/** Whatever another agent's file holds, the rest is imported. */
function attempted({ write: run }: ImportStep): Result<void, string> {
  try {
    return run()
  } catch (error) {
    return failed(String(error))
  }
}

const headings: { readonly [kind in StepKind]: string } = {
  setting: "Settings",
  server: "MCP servers",
  rule: "Permission rules",
  file: "Files",
  conversation: "Conversations",
}

const kinds: readonly StepKind[] = ["setting", "server", "rule", "file", "conversation"]

/** More than fit on a screen are counted. Rules are all shown: whoever agrees must have seen them. */
const mostConversations = 10

function previewText(
  { steps, skipped }: ImportPlan,
  { title, folder }: Source,
  from: string | undefined,
  { state, home }: Where,
): string {
  const lines = [`From ${title} (${from ?? folder}) to ${tilde(state, home)}:`]
  for (const kind of kinds) {
    const own = steps.filter((step) => step.kind === kind)
    const fresh = own.filter((step) => step.state === "new")
    const there = own.filter((step) => step.state === "there").length
    const conflicts = own.filter((step) => step.state === "conflict")
    if (own.length === 0) continue
    const most = kind === "conversation" ? mostConversations : fresh.length
    lines.push(
      "",
      `${headings[kind]}: ${[`${fresh.length} new`, ...(there > 0 ? [`${there} already here`] : []), ...(conflicts.length > 0 ? [`${conflicts.length} kept as you have them`] : [])].join(", ")}`,
      ...(kind === "conversation" ? fresh.toReversed() : fresh)
        .slice(0, most)
        .map(({ line }) => `  + ${forConsent(line)}`),
      ...(fresh.length > most ? [`  + ${fresh.length - most} more`] : []),
      ...conflicts.map(({ line }) => `  = ${forConsent(line)}`),
    )
  }
  if (steps.length === 0) lines.push("", "Nothing to import.")
  else if (steps.every(({ state: is }) => is !== "new")) lines.push("", "Nothing new to import.")
  if (skipped.length > 0)
    lines.push("", "Skipped", ...skipped.map(({ what, why }) => `  - ${forConsent(what)}: ${forConsent(why)}`))
  return lines.join("\n")
}
