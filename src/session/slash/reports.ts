/** What is said of the parts of a session, once: rows for the panels of a terminal, and for the text of faces without panels. */

import type { CommandDefinition, CommandSource } from "#agent/words/command.ts"
import type { Behavior, RuleSource } from "#agent/words/permission.ts"
import type { McpServerState } from "#kits/mcp/ports.ts"
import type { AgentDefinition } from "#kits/subagents/definition.ts"
import { counted, tokensText } from "#lib/figures.ts"
import { forConsent } from "#lib/printable.ts"
import { aligned, firstLine } from "#lib/rows.ts"
import { estimateTokens } from "#lib/tokens.ts"
import type { HookEntry, HookRow, HooksOverview } from "#session/port/describe-hooks.ts"
import type { AutoDecision, RuleRow } from "#session/port/query.ts"
import { listed, matches } from "./rows.ts"

export interface ReportRow {
  readonly key: string
  readonly text: string
  /** The longest comes last: it may be cut. */
  readonly facts: readonly string[]
  readonly group?: string
  readonly color?: string
}

export interface ListReport<T> {
  readonly title: string
  readonly about?: string
  readonly empty: string
  /** What can be done, below the text. */
  readonly hint?: string
  readonly rows: (of: T) => readonly ReportRow[]
}

/** The rows that match the words, or all. */
export function reportText<T>({ rows, empty, hint }: ListReport<T>, of: T, words: string): string {
  const found = matching(rows(of), words)
  const lines = aligned(found.map(({ group = "", text, facts }) => [group, text, facts.join(" · ")].map(forConsent)))
  return listed(found.length === 0 || hint === undefined ? lines : [...lines, hint], words, empty)
}

export const matching = (rows: readonly ReportRow[], words: string): readonly ReportRow[] =>
  rows.filter(({ group = "", text, facts }) => matches(words, group, text, ...facts))

export const ruleOrder: readonly Behavior[] = ["deny", "ask", "allow"]
const behaviorHeadings: { readonly [behavior in Behavior]: string } = { deny: "Deny", ask: "Ask", allow: "Allow" }

export const ruleSources: { readonly [source in RuleSource]: string } = {
  managed: "managed settings",
  command: "the current command",
  "command line": "the command line",
  "local settings": "this project",
  "project settings": "this project, for everyone",
  "user settings": "all projects",
  session: "this session",
}

/** The strictest first. The key of a row is its place in the given list. */
export const rulesReport: ListReport<readonly RuleRow[]> = {
  title: "Permission rules",
  about: "deny > ask > allow, whatever the source. Rules you add apply at once.",
  empty: "There are no permission rules. /permissions add allow|ask|deny <rule> to add one.",
  hint: "deny > ask > allow. /permissions add allow|ask|deny <rule> to add one. codewright permissions remove to remove one from a settings file.",
  rows: (rules) =>
    ruleOrder.flatMap((behavior) =>
      rules.flatMap((each, i) =>
        each.behavior === behavior
          ? [{ key: String(i), text: each.rule, facts: [ruleSources[each.source]], group: behaviorHeadings[behavior] }]
          : [],
      ),
    ),
}

export const autoHeading = "Auto mode in this session"

/** What auto mode decided, newest last; nothing where it decided nothing. */
export const autoLines = (decided: readonly AutoDecision[]): readonly string[] =>
  decided.length === 0
    ? []
    : [
        "",
        autoHeading,
        ...decided.map(({ title, outcome, why }) => forConsent(`  ${outcome}  ${firstLine(title)} (${why})`)),
      ]

export const serverStatus: { readonly [status in McpServerState["status"]]: string } = {
  connected: "connected",
  connecting: "connecting",
  failed: "failed",
  needs_approval: "needs your approval",
  needs_login: "needs login",
  disabled: "disabled",
}

export const serversReport: ListReport<readonly McpServerState[]> = {
  title: "MCP servers",
  empty: "No MCP servers are configured. Add one with codewright mcp add, or in .mcp.json.",
  hint: "/mcp <number> login, reconnect, on, off or off here changes one.",
  rows: (servers) =>
    servers.map(({ name, source, status, tools, reason }) => ({
      key: name,
      text: name,
      facts: [
        serverStatus[status],
        source,
        ...(status === "connected" ? [counted(tools.length, "tool"), tokensText(serverTokens(tools))] : []),
        ...(status === "failed" && reason !== undefined ? [firstLine(reason)] : []),
      ],
    })),
}

export const toolTokens = ({ name, description, inputSchema }: McpServerState["tools"][number]): number =>
  estimateTokens(JSON.stringify({ name, description, input_schema: inputSchema }))

export const serverTokens = (tools: McpServerState["tools"]): number =>
  tools.reduce((sum, tool) => sum + toolTokens(tool), 0)

/** Hooks of one event are grouped where the first of them is. The key of a hook is its place in the configuration. */
export const hooksReport: ListReport<HooksOverview> = {
  title: "Hooks",
  about: "Your commands, run at set points in a session. Configure them under hooks in settings.json.",
  empty: "No hooks are configured.",
  rows: ({ configured, problems, runs }) => [
    ...problems.map((text, i) => ({ key: `problem ${i}`, text, facts: [], group: "Ignored" })),
    ...[...new Set(configured.map(({ event }) => event))].flatMap((event) =>
      configured.flatMap((hook, i) => (hook.event === event ? [hookRow(hook, String(i), runsOf(hook, runs))] : [])),
    ),
  ],
}

export const runsOf = ({ event, matcher, name, source }: HookRow, runs: readonly HookEntry[]): readonly HookEntry[] =>
  runs.filter((run) => run.event === event && run.matcher === matcher && run.name === name && run.source === source)

function hookRow(
  { event, matcher, name, source, required }: HookRow,
  key: string,
  runs: readonly HookEntry[],
): ReportRow {
  const last = runs.at(-1)
  const facts = [
    matcher === "" || matcher === "*" ? "always" : matcher,
    source,
    ...(required ? ["required"] : []),
    last ? `ran ${runs.length === 1 ? "once" : `${runs.length} times`}, last: ${outcomeOf(last)}` : "not run yet",
  ]
  return { key, text: name, facts, group: event }
}

export function outcomeOf({ exit, decision, failure }: HookEntry): string {
  if (failure !== undefined) return "failed"
  return decision ?? (exit === null ? "done" : `exit ${exit}`)
}

/** The user's and project's own first. */
export const agentHeadings: { readonly [source in AgentDefinition["source"]]: string } = {
  "command line": "Command line",
  project: "Project",
  user: "User",
  plugin: "Plugins",
  "built-in": "Built-in",
}

export const agentsReport: ListReport<readonly AgentDefinition[]> = {
  title: "Agents",
  about:
    "Make one with /agents new, or add a file to .codewright/agents or .claude/agents. Running agents are in /tasks.",
  empty: "No agents are available here.",
  rows: (types) =>
    grouped(
      types.map(({ agentType, whenToUse, source, model, color }) => ({
        key: agentType,
        text: agentType,
        facts: [model ?? "inherit", firstLine(whenToUse)],
        group: agentHeadings[source],
        ...(color !== undefined && { color }),
      })),
      Object.values(agentHeadings),
    ),
}

const troubled = "With problems"

export const skillHeadings: { readonly [source in CommandSource]: string } = {
  project: "Project",
  user: "User",
  plugin: "Plugins",
  server: "MCP servers",
  "built-in": "Built-in",
}

export const skillsReport: ListReport<readonly CommandDefinition[]> = {
  title: "Skills and commands",
  about: "Make one with /skills new, or add a file to the folder skills or commands in .codewright or .claude.",
  empty: "No skills or commands.",
  rows: (all) =>
    grouped(
      all.map((definition) => {
        const { name, description, source, problems } = definition
        const trouble = problems.length === 0 ? [] : [counted(problems.length, "problem")]
        return {
          key: name,
          text: `/${name}`,
          facts: [...trouble, ...whoUses(definition), firstLine(description)],
          group: problems.length === 0 ? skillHeadings[source] : troubled,
        }
      }),
      [troubled, ...Object.values(skillHeadings)],
    ),
}

export function whoUses({ isForModel, isForPerson }: CommandDefinition): readonly string[] {
  if (isForModel === isForPerson) return []
  return [isForPerson ? "only you can run this" : "only the model can load this"]
}

const grouped = (rows: readonly (ReportRow & { readonly group: string })[], groups: readonly string[]) =>
  rows.toSorted((a, b) => groups.indexOf(a.group) - groups.indexOf(b.group))
