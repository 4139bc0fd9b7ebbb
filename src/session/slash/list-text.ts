/** The parts of a session as text: rules, servers, hooks, agents, skills, background work, memory files. */

import type { CommandDefinition } from "#agent/words/command.ts"
import type { Behavior, RuleSource } from "#agent/words/permission.ts"
import type { MemoryTarget } from "#kits/context/remember.ts"
import type { McpServerState } from "#kits/mcp/ports.ts"
import type { AgentState } from "#kits/subagents/agent-state.ts"
import type { AgentDefinition } from "#kits/subagents/definition.ts"
import { counted, durationText, tokensText } from "#lib/figures.ts"
import { bared } from "#lib/printable.ts"
import { aligned, firstLine } from "#lib/rows.ts"
import type { HooksLook } from "#session/port/hooks-look.ts"
import type { BackgroundRow } from "#session/port/query.ts"
import { listed, matches } from "./rows.ts"

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
    rows.length === 0 ? [] : ["deny > ask > allow", ...aligned(rows)],
    words,
    "There are no permission rules.",
  )
}

const statusWords: { readonly [status in McpServerState["status"]]: string } = {
  connected: "connected",
  connecting: "connecting",
  failed: "failed",
  needs_approval: "needs approval",
  needs_login: "needs login",
  disabled: "off",
}

export function serverText(servers: readonly McpServerState[], words: string): string {
  const rows = servers
    .filter(({ name, status, source }) => matches(words, name, statusWords[status], source))
    .map(({ name, status, source, tools, reason }) => [
      bared(name),
      statusWords[status],
      source,
      status === "connected" ? counted(tools.length, "tool") : bared(firstLine(reason ?? "")),
    ])
  return listed(aligned(rows), words, "No MCP server is configured. Add one with: codewright mcp add")
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

export function taskText(
  { agents, commands }: { readonly agents: readonly AgentState[]; readonly commands: readonly BackgroundRow[] },
  words: string,
  now: number,
): string {
  const rows = [
    ...agents
      .filter(({ fact }) => fact.state !== "ended")
      .map(({ fact, usage }) => [
        fact.agentId,
        "agent",
        tokensText(usage.tokens),
        bared(`${fact.agentType}: ${fact.description}`),
      ]),
    ...commands.map(({ id, command, startedAt }) => [id, "command", durationText(now - startedAt), bared(command)]),
  ].filter((row) => matches(words, ...row))
  return listed(aligned(rows), words, "Nothing is running.")
}

export const memoryText = (files: readonly MemoryTarget[]): string =>
  files.length === 0
    ? "There is no memory file that could be written."
    : aligned(files.map(({ label, path }) => [label, bared(path)])).join("\n")
