/** The parts of a session as text: rules, servers, hooks, agents, skills, background work, memory files. */

import type { CommandDefinition } from "#agent/words/command.ts"
import type { Behavior, RuleSource } from "#agent/words/permission.ts"
import type { MemoryTarget } from "#kits/context/remember.ts"
import type { McpServerState } from "#kits/mcp/ports.ts"
import type { AgentDefinition } from "#kits/subagents/definition.ts"
import { counted } from "#lib/figures.ts"
import { bared } from "#lib/printable.ts"
import { aligned, firstLine } from "#lib/rows.ts"
import type { HooksLook } from "#session/port/hooks-look.ts"
import type { SlashAnswer } from "#session/opening/program.ts"
import { listed, matches, numbered } from "./rows.ts"

export interface WrittenRule {
  readonly behavior: Behavior
  readonly rule: string
  readonly source: RuleSource
}

const strictestFirst: readonly Behavior[] = ["deny", "ask", "allow"]

export function ruleText(rules: readonly WrittenRule[], words: string): string {
  const rows = rules
    .filter(({ behavior, rule, source }) => matches(words, behavior, rule, source))
    .toSorted((a, b) => strictestFirst.indexOf(a.behavior) - strictestFirst.indexOf(b.behavior))
    .map(({ behavior, rule, source }) => [behavior, bared(rule), source])
  return listed(
    rows.length === 0 ? [] : ["deny > ask > allow", ...aligned(rows), ruleHint],
    words,
    "There are no permission rules. /permissions add allow|ask|deny <rule> adds one.",
  )
}

const ruleHint =
  "/permissions add allow|ask|deny <rule> adds one. codewright permissions remove removes one from a settings file."

const statusWords: { readonly [status in McpServerState["status"]]: string } = {
  connected: "connected",
  connecting: "connecting",
  failed: "failed",
  needs_approval: "needs approval",
  needs_login: "needs login",
  disabled: "off",
}

/** All of them or those that match; one by its name, and what can be done with it: `github off`. */
export function serverAnswer(servers: readonly McpServerState[], words: string): SlashAnswer {
  const [, name, act] = /^(\S+?)(?:\s+(reconnect|on|off))?$/.exec(words) ?? []
  const one = servers.find((server) => server.name === name)
  if (act !== undefined && name !== undefined && !one)
    return { text: `There is no MCP server ${bared(name)}. /mcp lists them.`, isError: true }
  if (one && act !== undefined) {
    const op = act === "on" ? "enable" : act === "off" ? "disable" : "reconnect"
    return { text: serverDone[op](bared(one.name)), ops: [{ type: "server", name: one.name, act: op }] }
  }
  if (one) return serverChoice(one)
  const found = servers.filter((server) => matches(words, server.name, statusWords[server.status], server.source))
  if (found.length === 0)
    return { text: listed([], words, "No MCP server is configured. Add one with: codewright mcp add") }
  const lines = numbered(found.map(serverCells))
  return {
    text: [...lines, "/mcp <number> reconnect, on or off changes one."].join("\n"),
    choices: found.map((server) => server.name),
  }
}

const serverCells = ({ name, status, source, tools, reason }: McpServerState): readonly string[] => [
  bared(name),
  statusWords[status],
  source,
  status === "connected" ? counted(tools.length, "tool") : bared(firstLine(reason ?? "")),
]

const serverDone = {
  reconnect: (name: string) => `Reconnected ${name}.`,
  enable: (name: string) => `Turned ${name} on.`,
  disable: (name: string) => `Turned ${name} off for this session.`,
} as const

function serverChoice(server: McpServerState): SlashAnswer {
  const acts = server.status === "disabled" || server.status === "needs_approval" ? ["on"] : ["reconnect", "off"]
  const labels: { readonly [act: string]: string } = {
    on: server.status === "disabled" ? "Turn it on" : "Approve and start it",
    reconnect: server.status === "connected" ? "Reconnect" : "Retry",
    off: "Turn it off for this session",
  }
  const tools = server.tools.map((tool) => `  ${bared(tool.name)}`)
  return {
    text: [
      serverCells(server).filter(Boolean).join(", "),
      ...(tools.length > 0 ? ["Tools:", ...tools] : []),
      ...acts.map((act, i) => `${i + 1}. ${labels[act]}`),
    ].join("\n"),
    choices: acts.map((act) => `${server.name} ${act}`),
  }
}

export function hookText({ configured, problems, runs }: HooksLook, words: string): string {
  const rows = configured
    .filter(({ event, matcher, name, source }) => matches(words, event, matcher, name, source))
    .map(({ event, matcher, name, source }) => {
      const own = runs.filter((run) => run.event === event && run.matcher === matcher && run.name === name)
      const last = own.at(-1)
      return [
        event,
        matcher === "" || matcher === "*" ? "always" : bared(matcher),
        bared(name),
        source,
        last
          ? `${counted(own.length, "run")}, last ${last.failure === undefined ? `took ${last.ms} ms` : "failed"}`
          : "",
      ]
    })
  return listed(
    [...problems.map((problem) => `! ${bared(problem)}`), ...aligned(rows)],
    words,
    "No hook is configured.",
  )
}

export function agentText(types: readonly AgentDefinition[], words: string): string {
  const rows = types
    .filter(({ agentType, whenToUse, source }) => matches(words, agentType, whenToUse, source))
    .map(({ agentType, source, whenToUse }) => [bared(agentType), source, bared(firstLine(whenToUse))])
  return listed(aligned(rows), words, "No agents can be started here.")
}

export function skillText(all: readonly CommandDefinition[], words: string): string {
  const found = all.filter(({ name, description, source }) => matches(words, name, description, source))
  const rows = found.map(({ name, description, source, isForModel, isForPerson }) => {
    const who = !isForPerson ? ", only for the model" : isForModel ? "" : ", only for you"
    return [`/${bared(name)}`, `${source}${who}`, bared(firstLine(description))]
  })
  const problems = found.flatMap((definition) => definition.problems.map((problem) => `! ${bared(problem)}`))
  return listed([...aligned(rows), ...problems], words, "There are no skills or commands here.")
}

export const memoryText = (files: readonly MemoryTarget[]): string =>
  files.length === 0
    ? "No memory file can be written here."
    : [...aligned(files.map(({ label, path }) => [label, bared(path)])), "Edit them in your editor."].join("\n")
