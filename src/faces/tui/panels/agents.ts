/** The panel of agents that can be started: what each is for, where it comes from, and what it may use. */

import type { Answers } from "#session/port/query.ts"
import { agentHeadings, agentsReport } from "#session/slash/reports.ts"
import type { AgentsPort } from "./extension-ports.ts"
import { reportList } from "./report-list.ts"
import type { ListDefinition, TextDefinition } from "./panel.ts"
import { factRows, passage, textRows } from "./passage.ts"
import { drawnOnce } from "./place.ts"

type AgentType = Answers["agent_types"][number]

export const agentsPanel = <T>(port: AgentsPort, query: string): ListDefinition<T> =>
  reportList(agentsReport, port.list, query, {
    async choose({ key }) {
      const type = (await port.list()).find(({ agentType }) => agentType === key)
      return type ? { kind: "opens", panel: typePanel(type) } : { kind: "stays" }
    },
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
      ["From", path ?? agentHeadings[source]],
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
