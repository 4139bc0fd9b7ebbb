/** Requests that only look: what fills the context, what there is to choose from, what it cost. */

import { ok } from "#lib/result.ts"
import type { Answers } from "#session/port/query.ts"
import type { Controls } from "./control.ts"
import { modelRows } from "./introduction.ts"

export const lookControls: Controls = {
  async get_context_usage(_, { session }) {
    const [context, state, about] = await Promise.all([
      session.ask({ type: "context" }),
      session.ask({ type: "state" }),
      session.ask({ type: "memory" }),
    ])
    return ok(
      contextUsage(
        context,
        state.model,
        about.map(({ path }) => path),
      ),
    )
  },

  async list_models(_, { session, models }) {
    const [rows, { model }] = await Promise.all([models(), session.ask({ type: "state" })])
    return ok({ models: modelRows(rows, model) })
  },

  async get_session_cost(_, { session }) {
    const answer = await session.ask({ type: "command", name: "cost", args: "" })
    return ok({ text: answer?.text ?? "" })
  },

  get_binary_version: async (_, { version }) => ok({ version }),

  async reload_skills(_, { session }) {
    const commands = await session.ask({ type: "commands" })
    const skills = new Set(await session.ask({ type: "skills" }))
    return ok({
      skills: commands.flatMap(({ name, about, takes }) =>
        skills.has(name) ? [{ name, description: about, argumentHint: takes }] : [],
      ),
    })
  },

  async reload_output_styles(_, { session }) {
    return ok({ available_output_styles: (await session.ask({ type: "styles" })).names })
  },
}

/** Each part in the words of clients. */
const partIds: { readonly [name: string]: { readonly id: string; readonly kind: string } } = {
  "System prompt": { id: "system_prompt", kind: "used" },
  Tools: { id: "system_tools", kind: "used" },
  "MCP tools": { id: "mcp_tools", kind: "used" },
  "Memory files": { id: "memory_files", kind: "used" },
  Skills: { id: "skills", kind: "used" },
  Messages: { id: "messages", kind: "used" },
  "Kept free for answers": { id: "autocompact_buffer", kind: "buffer" },
  Free: { id: "free_space", kind: "free" },
}

function contextUsage({ window, parts }: Answers["context"], model: string, memory: readonly string[]): object {
  const known = (name: string) => partIds[name] ?? { id: "messages", kind: "used" }
  const used = parts.filter(({ name }) => known(name).kind === "used")
  const totalTokens = used.reduce((all, { tokens }) => all + tokens, 0)
  return {
    categories: parts.map(({ name, tokens }) => ({ ...known(name), name, tokens, color: "inactive" })),
    totalTokens,
    maxTokens: window,
    rawMaxTokens: window,
    percentage: Math.round((totalTokens / window) * 100),
    gridRows: [],
    model,
    memoryFiles: memory.map((path) => ({ path, type: "memory", tokens: 0 })),
    mcpTools: [],
    agents: [],
    isAutoCompactEnabled: true,
    apiUsage: null,
  }
}
