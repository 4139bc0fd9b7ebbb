/** One agent: its transcript, live while it works, with keys to stop it or send it a message. */

import type { ChildEnd } from "#agent/words/child.ts"
import type { Entry } from "#agent/words/entry.ts"
import { counted, durationText, tokensText } from "#lib/figures.ts"
import { dim } from "#faces/tui/screen/style.ts"
import type { Clock } from "#lib/clock.ts"
import type { Answers } from "#session/port/query.ts"
import type { TasksPort } from "./extension-ports.ts"
import { liveWatch } from "./live.ts"
import type { LineDefinition, PanelKey, TextDefinition } from "./panel.ts"
import { factRows, passage } from "./passage.ts"
import { drawnOnce } from "./place.ts"
import { transcriptRows } from "./transcript.ts"

export type AgentState = Answers["agents"][number]

/** Flattened, each before its own. */
export const allAgents = (agents: readonly AgentState[]): readonly AgentState[] =>
  agents.flatMap((agent) => [agent, ...allAgents(agent.agents ?? [])])

export const isAtWork = ({ fact }: AgentState): boolean => fact.state !== "ended"

/** Current activity comes last, because it may be cut. */
export function agentWords({ fact, usage, doing }: AgentState): string {
  const { toolUses, tokens, durationMs } = usage
  return [
    ...(fact.state === "background" ? ["background"] : []),
    ...(fact.state === "ended" ? [endWords(fact.end)] : []),
    durationText(durationMs),
    counted(toolUses, "tool use"),
    ...(tokens > 0 ? [tokensText(tokens)] : []),
    ...(fact.state === "ended" ? [] : [doing ?? "thinking"]),
  ].join(" · ")
}

function endWords(end: ChildEnd | undefined): string {
  switch (end) {
    case "completed":
    case undefined:
      return "done"
    case "failed":
      return "failed"
    case "stopped":
      return "stopped"
    case "lost":
      return "ended with the program"
  }
}

export function agentPanel<T>(port: TasksPort, opened: AgentState, clock: Clock): TextDefinition<T> {
  const { agentId, agentType, description } = opened.fact
  const find = async (): Promise<AgentState> =>
    allAgents(await port.agents()).find(({ fact }) => fact.agentId === agentId) ?? opened
  // Reading its log takes longer than telling how long it has worked.
  let entries: readonly Entry[] | null = null
  let isStale = true
  return {
    kind: "text",
    title: `${agentType}: ${description}`,
    begins: "end",
    watch: liveWatch(
      (changed) =>
        port.watch(() => {
          isStale = true
          changed()
        }),
      clock,
      async () => isAtWork(await find()),
    ),
    async load() {
      const wasStale = isStale
      isStale = false
      const [agent, read] = await Promise.all([find(), wasStale ? port.agent(agentId) : entries])
      entries = read
      const { worktree } = agent.fact
      return {
        about: agentWords(agent),
        draw: drawnOnce(
          passage(
            worktree && factRows([["Worktree", `${worktree.path} (${worktree.branch})`]]),
            entries ? transcriptRows(entries, isAtWork(agent)) : () => [dim("No transcript is kept for this agent.")],
          ),
        ),
        keys: isAtWork(agent) ? keysOf(port, agent) : [],
      }
    },
  }
}

const keysOf = <T>(port: TasksPort, agent: AgentState): readonly PanelKey<T>[] => [
  {
    name: "x",
    about: "stop",
    async run() {
      const stopped = await port.stop(agent.fact.agentId)
      return { kind: "stays", note: stopped.ok ? "Stopped." : stopped.failure }
    },
  },
  {
    name: "t",
    about: "send a message",
    run: async () => ({ kind: "opens", panel: sayPanel(port, agent) }),
  },
]

export const sayPanel = <T>(
  port: TasksPort,
  { fact: { agentId, agentType, description } }: AgentState,
): LineDefinition<T> => ({
  kind: "line",
  title: `Message to ${agentType}: ${description}`,
  about: "The agent reads the message before its next step.",
  text: "",
  shown: "text",
  async submit(text) {
    const said = await port.say(agentId, text)
    return { kind: "goes back", to: "one below", note: said.ok ? "Sent." : said.failure }
  },
})
