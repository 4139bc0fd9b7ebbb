/** The panel of kinds of agents: what each is for, where it comes from, and what it may use. */

import { firstLine } from "#lib/rows.ts"
import type { Answers } from "#session/port/query.ts"
import type { AgentsPort } from "./extension-ports.ts"
import type { ListDefinition, PanelRow, TextDefinition } from "./panel.ts"
import { factRows, passage, textRows } from "./passage.ts"
import { drawnOnce } from "./place.ts"

type AgentType = Answers["agent_types"][number]

const headings: { readonly [source in AgentType["source"]]: string } = {
  "command line": "From the command line",
  project: "Of this project",
  user: "Your own",
  plugin: "From plugins",
  "built-in": "Built in",
}

/** Those that somebody wrote for here come first. */
const sources = ["command line", "project", "user", "plugin", "built-in"] as const

export function agentsPanel<T>(port: AgentsPort, query: string): ListDefinition<T> {
  return {
    kind: "list",
    title: "Kinds of agents",
    about: "Files in .codewright/agents add others. /tasks shows those at work.",
    empty: "No agents can be started here.",
    search: "rows",
    query,
    takes: "opens it",
    load: async () =>
      (await port.list()).toSorted((a, b) => sources.indexOf(a.source) - sources.indexOf(b.source)).map(rowOf),
    async take({ key }) {
      const type = (await port.list()).find(({ agentType }) => agentType === key)
      return type ? { kind: "opens", panel: typePanel(type) } : { kind: "stays" }
    },
  }
}

const rowOf = ({ agentType, whenToUse, source, model }: AgentType): PanelRow => ({
  key: agentType,
  text: agentType,
  facts: `${model ?? "inherit"} · ${firstLine(whenToUse)}`,
  group: headings[source],
})

const typePanel = <T>(type: AgentType): TextDefinition<T> => ({
  kind: "text",
  title: type.agentType,
  begins: "top",
  async load() {
    const { whenToUse, source, path, model, tools, disallowedTools, maxTurns, systemPrompt } = type
    const habits = [
      ...(type.onlyReads ? ["only reads"] : []),
      ...(type.forkContext ? ["begins with this conversation"] : []),
      ...(type.background ? ["runs in the background"] : []),
      ...(type.isolation ? ["works in a git worktree of its own"] : []),
    ]
    const facts = factRows([
      ["From", path ?? headings[source]],
      ["Model", model ?? "inherit"],
      ["Tools", tools ? tools.join(", ") : "all there are"],
      ["Without", disallowedTools?.join(", ")],
      ["Habits", habits.join(", ")],
      ["Steps", maxTurns === undefined ? undefined : `${maxTurns} at most`],
    ])
    return {
      draw: drawnOnce(
        passage(facts, textRows("When it is used", whenToUse), textRows("What it is told", systemPrompt)),
      ),
      keys: [],
    }
  },
})
