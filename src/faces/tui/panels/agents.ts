/** The panel of agents that can be started: what each is for, where it comes from, and what it may use. */

import { firstLine } from "#lib/rows.ts"
import type { Answers } from "#session/port/query.ts"
import type { AgentsPort } from "./extension-ports.ts"
import type { ListDefinition, PanelRow, TextDefinition } from "./panel.ts"
import { factRows, passage, textRows } from "./passage.ts"
import { drawnOnce } from "./place.ts"

type AgentType = Answers["agent_types"][number]

const headings: { readonly [source in AgentType["source"]]: string } = {
  "command line": "Command line",
  project: "Project",
  user: "User",
  plugin: "Plugins",
  "built-in": "Built-in",
}

/** The user's and project's own first. */
const sources = ["command line", "project", "user", "plugin", "built-in"] as const

export function agentsPanel<T>(port: AgentsPort, query: string): ListDefinition<T> {
  return {
    kind: "list",
    title: "Agents",
    about: "Add your own in .codewright/agents. Running agents are in /tasks.",
    empty: "No agents are available here.",
    search: "rows",
    query,
    takes: "open",
    load: async () =>
      (await port.list()).toSorted((a, b) => sources.indexOf(a.source) - sources.indexOf(b.source)).map(rowOf),
    async take({ key }) {
      const type = (await port.list()).find(({ agentType }) => agentType === key)
      return type ? { kind: "opens", panel: typePanel(type) } : { kind: "stays" }
    },
  }
}

const rowOf = ({ agentType, whenToUse, source, model, color }: AgentType): PanelRow => ({
  key: agentType,
  text: agentType,
  facts: `${model ?? "inherit"} · ${firstLine(whenToUse)}`,
  group: headings[source],
  ...(color !== undefined && { color }),
})

const typePanel = <T>(type: AgentType): TextDefinition<T> => ({
  kind: "text",
  title: type.agentType,
  begins: "top",
  async load() {
    const { whenToUse, source, path, model, tools, disallowedTools, maxTurns, systemPrompt } = type
    const habits = [
      ...(type.onlyReads ? ["read-only"] : []),
      ...(type.forkContext ? ["starts with this conversation"] : []),
      ...(type.background ? ["runs in the background"] : []),
      ...(type.isolation ? ["works in its own git worktree"] : []),
    ]
    const facts = factRows([
      ["From", path ?? headings[source]],
      ["Model", model ?? "inherit"],
      ["Tools", tools ? tools.join(", ") : "all"],
      ["Except", disallowedTools?.join(", ")],
      ["Behavior", habits.join(", ")],
      ["Steps", maxTurns === undefined ? undefined : `at most ${maxTurns}`],
    ])
    return {
      draw: drawnOnce(passage(facts, textRows("When to use", whenToUse), textRows("System prompt", systemPrompt))),
      keys: [],
    }
  },
})
