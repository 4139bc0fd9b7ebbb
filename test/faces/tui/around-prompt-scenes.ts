/** Scenes of what helps a newcomer and of what goes on beside the conversation. */

import { noUsage } from "#agent/words/model.ts"
import type { AgentState } from "#kits/subagents/agent-state.ts"
import type { Uses } from "#faces/tui/state.ts"
import { ok } from "#lib/result.ts"
import { extensionPorts } from "./extension-scenes.ts"
import { type OnPaper, untilLoaded } from "./on-paper.ts"
import { type PanelScene, ports } from "./panel-scenes.ts"
import { permission } from "./scenes.ts"

const someUses: Uses = new Map([
  ["/compact", 3],
  ["show-transcript", 2],
  ["/model", 9],
])

const uses = (known: Uses = new Map()) => ({ load: async () => known, add: () => {} })

const agent = (agentId: string, agentType: string, description: string, doing?: string): AgentState => ({
  fact: { agentId, agentType, description, callId: "c", state: "background", color: "blue" },
  usage: { tokens: 12_345, toolUses: 4, durationMs: 65_000 },
  ...(doing !== undefined && { doing }),
})

const agents = [
  agent("a1", "Explore", "find the callers of the parser", "Grep parseDate"),
  agent("a2", "general-purpose", "write the missing tests", "Bash npm test -- --watch=false test/parser"),
  agent("a3", "Plan", "design the migration"),
]

const changes = [
  { path: "src/parser.ts", change: "modified", added: 12, removed: 3, binary: false, patch: "" },
  {
    path: "src/very/deep/folder/with/a/long/name/discount-rules.ts",
    change: "created",
    added: 140,
    removed: 0,
    binary: false,
    patch: "",
  },
  { path: "old.ts", change: "removed", added: 0, removed: 9, binary: false, patch: "" },
] as const

/** A turn in which a list of work was written and agents were started. */
async function worked(paper: OnPaper): Promise<void> {
  paper.entry({ kind: "prompt", promptId: "p", content: [{ type: "text", text: "mend the parser" }] })
  paper.entry({ kind: "turn_start", turnId: "t" })
  paper.entry({
    kind: "todo",
    todos: [
      { content: "Read the code", activeForm: "Reading the code", status: "completed" },
      { content: "Fix the parser", activeForm: "Fixing the parser", status: "in_progress" },
      { content: "Run the tests", activeForm: "Running the tests", status: "pending" },
    ],
  })
  for (const { fact } of agents) paper.entry({ kind: "child", ...fact })
  paper.entry({ kind: "turn_end", turnId: "t", reason: "completed" })
  await paper.pass(200)
}

export const aroundPromptScenes: { readonly [name: string]: PanelScene } = {
  "the palette": {
    options: { panels: ports, uses: uses(someUses) },
    async play(paper) {
      await paper.pass(100)
      await paper.type("\u0010")
      await paper.pass(100)
    },
  },
  "the palette searched": {
    options: { panels: ports, uses: uses(someUses) },
    async play(paper) {
      await paper.pass(100)
      await paper.type("\u0010")
      await untilLoaded(paper)
      await paper.type("comp")
      await paper.pass(100)
    },
  },
  "prompts to try": {
    options: {
      uses: uses(),
      examples: async () => [
        "Explain this repository: what it does and how it is built",
        "Run the tests and fix what fails",
      ],
    },
    async play(paper) {
      await paper.pass(100)
      await paper.type("\t")
    },
  },
  "hints while a command runs": {
    options: { uses: uses() },
    async play(paper) {
      await paper.pass(100)
      paper.entry({ kind: "prompt", promptId: "p", content: [{ type: "text", text: "build it" }] })
      paper.entry({ kind: "turn_start", turnId: "t" })
      const block = { type: "tool_use", id: "c", name: "Bash", input: { command: "npm run build" } } as const
      paper.entry({ kind: "reply", messageId: "m", model: "claude-sonnet-5", usage: noUsage, block })
      paper.moment({ type: "tool_start", callId: "c", tool: "Bash", title: "Bash npm run build", movable: true })
      paper.moment({
        type: "tool_progress",
        callId: "c",
        progress: { output: "compiling\n", totalBytes: 10, elapsedMs: 3000 },
      })
      await paper.pass(100)
    },
  },
  "hints in a permission question": {
    options: { uses: uses() },
    async play(paper) {
      await paper.pass(100)
      paper.ask(permission)
      await paper.pass(100)
    },
  },
  "agents beside the conversation": {
    options: { panels: { ...ports, ...extensionPorts }, answers: { agents: () => agents }, sideColumn: "hidden" },
    play: worked,
  },
  "the column beside the prompt": {
    options: { panels: ports, answers: { agents: () => agents, changes: async () => ok(changes) } },
    play: worked,
  },
}
