/** The pages of docs/reference, as text: each is drawn from the table that the program itself reads. */

import { resolve } from "node:path"
import { type AnyTool, refused } from "#agent/words/tool.ts"
import { commands } from "#faces/cli/commands.ts"
import { flags } from "#faces/cli/flags/flags.ts"
import { foreignFlags } from "#faces/cli/flags/foreign-flags.ts"
import { terminalCommands } from "#faces/tui/commands.ts"
import { actions } from "#faces/tui/keymap.ts"
import { outcomes } from "#ground/models/outcomes.ts"
import { environmentVariables } from "#ground/settings/environment.ts"
import { settingsJsonSchema } from "#ground/settings/schema.ts"
import { settingMeanings } from "#ground/settings/setting-meanings.ts"
import { eventKinds, metricKinds } from "#ground/telemetry/names.ts"
import { conventions } from "#ground/telemetry/span-attributes.ts"
import { spanNames } from "#ground/telemetry/span.ts"
import { openPlanFiles } from "#ground/transcript/plan-files.ts"
import { noNetwork } from "#faces/cli/models/configured-network.ts"
import { openWeb } from "#ground/web/fetch.ts"
import { openSearch } from "#ground/web/search.ts"
import { openWorkspace } from "#ground/workspace/workspace.ts"
import { callTool } from "#kits/mcp/call-tool.ts"
import { toolSearchTool } from "#kits/mcp/tool-search.ts"
import { planKit } from "#kits/plan/kit.ts"
import { todoKit } from "#kits/todo/kit.ts"
import { askUserTool } from "#kits/tools/ask-user.ts"
import { toolsKit } from "#kits/tools/kit.ts"
import { lspTool } from "#kits/lsp/tool.ts"
import { webFetchTool } from "#kits/tools/web-fetch.ts"
import { webSearchTool } from "#kits/tools/web-search.ts"
import { programKitsOf } from "#faces/cli/sessions/program-kits.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import type { SlashCommand } from "#session/port/command.ts"
import { slashTable } from "#session/slash/table.ts"
import { leadTools } from "#team/replayed.ts"
import { createTool } from "#team/team-tools.ts"
import { faultFacts, faultNames } from "#sim/faults.ts"

const note = "<!-- Made by `npm run reference` from the code. Do not edit. -->\n"

export async function referencePages(): Promise<{ readonly [name: string]: string }> {
  return {
    "commands.md": commandsPage(),
    "environment.md": environmentPage(),
    "keys.md": keysPage(),
    "settings.md": settingsPage(),
    "settings.schema.json": `${JSON.stringify(settingsJsonSchema(), null, 2)}\n`,
    "tools.md": toolsPage(),
    "events.md": await eventsPage(),
    "faults.md": faultsPage(),
    "model-errors.md": modelErrorsPage(),
    "telemetry.md": telemetryPage(),
  }
}

function commandsPage(): string {
  const rows = commands.map(({ name, takes, about }) => [`\`${`${name} ${takes}`.trim()}\``, about])
  const options = flags.map(({ name, also, takes, choices, about }) => [
    [`--${name}`, ...(also ?? [])].map((spelling) => `\`${spelling}\``).join(" "),
    choices ? choices.map((choice) => `\`${choice}\``).join(" ") : (takes ?? ""),
    about,
  ])
  const foreign = foreignFlags.map(({ name, also = [], fate, about }) => [
    [`--${name}`, ...also].map((spelling) => `\`${spelling}\``).join(" "),
    fate,
    about,
  ])
  return page("Commands and flags", [
    "`codewright [options] [prompt]`, or `codewright <command>`. A value may follow as `--flag value` or `--flag=value`.",
    table(["command", "what it does"], rows),
    table(["flag", "takes", "what it does"], options),
    "### Flags of Claude Code that are not followed",
    "An ignored flag is named on standard error, and the run goes on. A refused one ends the run before it begins.",
    table(["flag", "is", "why, or what to do instead"], foreign),
    "## Slash commands",
    "In every face: at the prompt of the terminal, in plain lines, and as a prompt in scripts (`codewright -p /cost`). Where there are no panels, what would be chosen from is printed, and the choice follows the name. Each face adds a few of its own; those of the terminal are listed with its [keys](keys.md). Files, skills and MCP servers bring more.",
    table(["command", "also", "what it does"], slashed(slashTable)),
  ])
}

const slashed = (all: readonly Omit<SlashCommand, "run">[]): string[][] =>
  all.map(({ name, takes, about, aliases = [] }) => [
    `\`${`/${name} ${takes}`.trim()}\``,
    aliases.map((alias) => `\`/${alias}\``).join(" "),
    `${about}.`,
  ])

function keysPage(): string {
  const rows = actions.map(({ name, keys, about }) => [
    `\`${name}\``,
    keys.map((key) => `\`${key}\``).join(" "),
    `${about}.`,
  ])
  return page("Keys and slash commands", [
    'In the terminal. Under `keybindings` in the settings of the user, a key, or several in a row, is given an action, or `null` for none: `{"keybindings": {"ctrl+t": "swap-characters", "ctrl+x s": "stash", "ctrl+v": null}}`. A key with several actions does the first that has something to do. `ctrl+c` cannot be bound, and keys in questions and panels are fixed. `"editorMode": "vim"` turns the vim keys on, as does `/vim`.',
    table(["action", "keys", "what it does"], rows),
    "A line that begins with `!` is a command of the shell, one that begins with `#` a note to keep. `@` names a file; a picture is dropped or pasted.",
    table(["command of the terminal", "also", "what it does"], slashed(terminalCommands)),
  ])
}

function environmentPage(): string {
  const rows = environmentVariables.map(({ name, aliases, type, default: usual, meaning }) => [
    `\`${name}\``,
    (aliases ?? []).map((alias) => `\`${alias}\``).join(" "),
    type,
    usual === undefined ? "" : `\`${String(usual)}\``,
    meaning,
  ])
  return page("Environment variables", [table(["variable", "also", "type", "default", "meaning"], rows)])
}

function telemetryPage(): string {
  const code = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(" ")
  const metrics = Object.entries(metricKinds).map(([name, { claude, kind, unit, by, meaning }]) => [
    `\`${name}\``,
    claude === undefined ? "" : `\`${claude}\``,
    `${kind}, ${unit}`,
    code(by),
    meaning,
  ])
  const events = Object.entries(eventKinds).map(([name, { claude, fields, meaning }]) => [
    `\`codewright.${name}\``,
    claude ? `\`claude_code.${name}\`` : "",
    code(fields),
    meaning,
  ])
  return page("Telemetry", [
    "What is sent where [telemetry](../guides/telemetry.md) is switched on. Where there are two names, the second is used with `CLAUDE_CODE_ENABLE_TELEMETRY`.",
    `Spans: ${code(spanNames)}. Attributes \`gen_ai.*\` are those of ${conventions}.`,
    "## Metrics",
    table(["metric", "as Claude Code", "kind", "by", "what it counts"], metrics),
    "## Events",
    "As log records, with `event.name`, `event.timestamp`, `event.sequence`, the session, and the trace and span where they happened.",
    table(["event", "as Claude Code", "fields", "when"], events),
  ])
}

function settingsPage(): string {
  const rows = Object.entries(settingMeanings).map(([key, meaning]) => [`\`${key}\``, meaning])
  return page("Settings", [
    "Strongest first: managed policy, command line, environment, `.codewright/settings.local.json` and `.claude/settings.local.json`, `.codewright/settings.json` and `.claude/settings.json`, `~/.codewright/settings.json` and `~/.claude/settings.json`, defaults. JSON with comments. `codewright config explain <key>` says where a value came from. A key that is listed here is understood and checked; what it governs may come with later work, see the changelog.",
    table(["key", "meaning"], rows),
  ])
}

const planTools = (): readonly AnyTool[] =>
  planKit({
    agent: { kind: "main" },
    mode: () => "default",
    record: () => {},
    ask: async () => ({ kind: "unanswered", why: "" }),
    files: openPlanFiles({ ids: systemIds }),
    folder: "/",
    root: "/",
    ids: systemIds,
    modes: () => [],
    canAsk: true,
    canGrant: true,
    agents: () => undefined,
    enforce: "off",
  }).tools ?? []

const programTools = (): readonly AnyTool[] =>
  programKitsOf({ loaded: { settings: {} }, state: "/" })({
    sessionId: "",
    cwd: "the folder",
    stateFolder: "/",
    clock: systemClock,
  }).flatMap(({ tools = [] }) => tools)

/** The tools of a session that has everything, as far as they can be made without one. */
export function referenceTools(): readonly AnyTool[] {
  const workspace = openWorkspace({
    root: "/",
    home: "/",
    ripgrep: async () => "rg",
    sessionFolder: "/",
    env: () => ({}),
    clock: systemClock,
    ids: systemIds,
    isAllowedFolder: () => true,
  })
  const network = noNetwork()
  const search = openSearch({ endpoint: "https://search.example", clock: systemClock, network })
  const web = openWeb({ clock: systemClock, network, allowsPrivate: () => false })
  return [
    ...(toolsKit({ workspace, clock: systemClock, ids: systemIds }).tools ?? []),
    ...(todoKit({ record: () => {} }).tools ?? []),
    ...planTools(),
    askUserTool({ ask: async () => ({ kind: "unanswered", why: "" }) }),
    webFetchTool({ web, clock: systemClock }),
    ...[search.ok ? webSearchTool({ clock: systemClock, endpoint: search.value }) : undefined].filter(
      (tool) => tool !== undefined,
    ),
    lspTool({
      ...workspace,
      servers: () => new Promise(() => {}),
      roots: () => [],
      isHidden: () => false,
      ask: async () => ({ kind: "unanswered", why: "" }),
      canAsk: () => false,
      clock: systemClock,
    }),
    toolSearchTool({ tools: () => [], offer: () => "listed", callWith: () => undefined }),
    callTool({ tools: () => [] }),
    createTool(async () => refused("")),
    ...leadTools("/"),
    ...programTools(),
  ]
}

function toolsPage(): string {
  const parts = referenceTools().map(({ name, description, schema }) =>
    [`## ${name}`, description, "```json", JSON.stringify(schema, null, 2), "```"]
      .join("\n\n")
      .replace("```json\n\n", "```json\n")
      .replace("\n\n```", "\n```"),
  )
  return page("Tools", ["What the model reads, as it reads it.", ...parts])
}

async function eventsPage(): Promise<string> {
  const read = (name: string): Promise<string> => Bun.file(resolve(import.meta.dir, `../src/${name}.ts`)).text()
  return page("Entries, events, ops and queries", [
    "An entry is one durable fact, a line of the session's log. An event is what watchers get: an entry, or a passing moment, with a cursor that says where it is in the log. An op is what can be asked to be done, a query what can be asked to be known. All of them are JSON.",
    "## Entries",
    table(["kind", "fields", "meaning"], membersOf(await read("agent/words/entry"), "kind")),
    "## Moments",
    table(["type", "fields", "meaning"], membersOf(await read("agent/words/event"), "type")),
    "## Ops",
    table(["type", "fields", "meaning"], membersOf(await read("agent/words/op"), "type")),
    "## Queries",
    table(["type", "fields", "meaning"], membersOf(await read("session/port/query"), "type")),
  ])
}

/** The members of the first union in a file: each begins with `|` and names itself by `tag`. */
function membersOf(source: string, tag: "kind" | "type"): string[][] {
  const [, union = ""] = /export type \w+ =\n((?: {2}.*\n)+)/.exec(source) ?? []
  return union.split(/^ {2}(?=\| |\/\*\*)/m).reduce<{ rows: string[][]; about: string }>(
    ({ rows, about }, part) => {
      const comment = /^\/\*\*\s*(.*?)\s*\*\/\s*$/s.exec(part)?.[1]
      if (comment !== undefined) return { rows, about: comment.replace(/^\*\s*/, "").replace(/\s*\n\s*\*\s*/g, " ") }
      const name = new RegExp(`readonly ${tag}: "(\\w+)"`).exec(part)?.[1]
      if (name === undefined) return { rows, about }
      const top = part.replace(/\{[^{}]*\{[^{}]*\}[^{}]*\}/g, (whole) => whole)
      const fields = [...top.matchAll(/readonly (\w+)\??:/g)].map((found) => found[1]).filter((field) => field !== tag)
      return {
        rows: [...rows, [`\`${name}\``, [...new Set(fields)].map((field) => `\`${field}\``).join(" "), about]],
        about: "",
      }
    },
    { rows: [], about: "" },
  ).rows
}

function faultsPage(): string {
  const rows = faultNames.map((name) => [`\`${name}\``, faultFacts[name].about, faultFacts[name].then])
  return page("Faults of the simulator", [
    "What the simulated model can do wrong on purpose, by a scenario (`fault:`), by rate (`--fault-rate`) or by `POST /__sim/faults`.",
    table(["fault", "what happens", "a sound client"], rows),
  ])
}

function modelErrorsPage(): string {
  const code = (text: string): string => `\`${text}\``
  const rows = outcomes.map(({ kind, statuses, message, names, retry, about, then }) => [
    about,
    [
      statuses.map((one) => (typeof one === "number" ? one : one.join("–"))).join(", ") +
        (message ? " with a message that says so" : ""),
      names.map(code).join(" "),
    ]
      .filter((part) => part !== "")
      .join("; "),
    code(kind),
    retry === "slowly" ? "yes, slowly" : retry,
    then,
  ])
  return page("Errors of models", [
    "What a provider refuses with, and what happens then; the same for all providers. The first row that fits counts, and a provider's own name for an error counts before its status.",
    table(["what happened", "status; names", "kind", "tried again", "what happens"], rows),
    'Also tried again: a connection that fails (not if its certificate is not trusted, or a proxy refuses it), and an answer that breaks off before anything of it was shown. There are ten attempts (`CODEWRIGHT_MAX_RETRIES`); waits double from one second, from four if the provider is overloaded, up to a minute, and half of each is left to chance. A provider that says when to come back is believed: `retry-after`, `retry-after-ms`, `x-ms-retry-after-ms`, `anthropic-ratelimit-*`, `x-ratelimit-reset-*`, `x-ratelimit-reset`, `ratelimit-reset`, Google\'s `RetryInfo`, or "try again in 20s" in the message. `x-should-retry` overrides the table.',
  ])
}

const page = (title: string, parts: readonly string[]): string => `${note}\n# ${title}\n\n${parts.join("\n\n")}\n`

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n")
}
