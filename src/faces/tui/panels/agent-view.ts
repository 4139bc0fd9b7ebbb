/** One agent: what happened in it, live while it works, with the keys that stop it or say something to it. */

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

export const isAtWork = ({ fact }: AgentState): boolean => fact.state !== "ended"

/** How long it has worked and what it has used; then what it does, or how it ended, which may be cut. */
export function agentWords({ fact, usage, doing }: AgentState): string {
  const { toolUses, tokens, durationMs } = usage
  return [
    durationText(durationMs),
    counted(toolUses, "tool use"),
    ...(tokens > 0 ? [tokensText(tokens)] : []),
    fact.state === "ended" ? endWords(fact.end) : (doing ?? "thinking"),
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
      return "lost when the program ended"
  }
}

export function agentPanel<T>(port: TasksPort, opened: AgentState, clock: Clock): TextDefinition<T> {
  const { agentId, agentType, description } = opened.fact
  const find = async (): Promise<AgentState> =>
    (await port.agents()).find(({ fact }) => fact.agentId === agentId) ?? opened
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
        about: `${agent.fact.state === "background" ? "in the background · " : ""}${agentWords(agent)}`,
        draw: drawnOnce(
          passage(
            worktree && factRows([["Works in", `${worktree.path} (${worktree.branch})`]]),
            entries ? transcriptRows(entries, isAtWork(agent)) : () => [dim("What it says is not kept here.")],
          ),
        ),
        keys: isAtWork(agent) ? keysOf(port, agent) : [],
      }
    },
  }
}

const keysOf = <T>(port: TasksPort, { fact: { agentId, agentType } }: AgentState): readonly PanelKey<T>[] => [
  {
    name: "s",
    about: "stops it",
    async run() {
      const stopped = await port.stop(agentId)
      return { kind: "stays", note: stopped.ok ? "It was told to stop." : stopped.failure }
    },
  },
  {
    name: "t",
    about: "talks to it",
    run: async () => ({ kind: "opens", panel: sayPanel(port, agentId, agentType) }),
  },
]

const sayPanel = <T>(port: TasksPort, agentId: string, agentType: string): LineDefinition<T> => ({
  kind: "line",
  title: `Say something to the ${agentType} agent`,
  about: "It hears it before its next step.",
  text: "",
  shown: "text",
  async take(text) {
    const said = await port.say(agentId, text)
    return { kind: "goes back", to: "one below", note: said.ok ? "It was told." : said.failure }
  },
})
