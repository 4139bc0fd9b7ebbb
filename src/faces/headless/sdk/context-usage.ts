/** What fills the context, in the shape clients read. */

import type { Answers } from "#session/port/query.ts"

export interface UsedContext {
  readonly context: Answers["context"]
  readonly details: Answers["context_details"]
  readonly model: string
  readonly compacts: boolean
}

export function contextUsage({ context: { window, parts }, details, model, compacts }: UsedContext): object {
  const categories = parts.map(({ name, tokens }) => ({ ...known(name), name, tokens }))
  const totalTokens = categories.reduce((all, { kind, tokens }) => all + (kind === "used" ? tokens : 0), 0)
  const { tools, memory, agents } = details
  const foreign = tools.filter(({ name }) => serverOf(name) !== undefined)
  const own = tools.filter(({ name }) => serverOf(name) === undefined)
  const free = parts.find(({ name }) => known(name).kind === "buffer")?.tokens ?? 0
  return {
    categories,
    totalTokens,
    maxTokens: window,
    rawMaxTokens: window,
    percentage: percent(totalTokens, window),
    gridRows: grid(categories, window),
    model,
    memoryFiles: memory.map(({ path, tokens }) => ({ path, type: "memory", tokens })),
    mcpTools: foreign.map(({ name, tokens, deferred }) => ({
      name,
      serverName: serverOf(name) ?? "",
      tokens,
      isLoaded: !deferred,
    })),
    systemTools: own.flatMap(({ name, tokens, deferred }) => (deferred ? [] : [{ name, tokens }])),
    deferredBuiltinTools: own.flatMap(({ name, tokens, deferred }) =>
      deferred ? [{ name, tokens, isLoaded: false }] : [],
    ),
    agents: agents.map(({ type, source, tokens }) => ({ agentType: type, source, tokens })),
    ...(compacts && { autoCompactThreshold: window - free }),
    isAutoCompactEnabled: compacts,
    apiUsage: null,
  }
}

interface Category {
  readonly id: string
  readonly kind: "used" | "free" | "buffer"
  readonly color: string
}

/** Each part in the words of clients. */
const categoryOf: { readonly [name: string]: Category } = {
  "System prompt": { id: "system_prompt", kind: "used", color: "cyan" },
  Tools: { id: "system_tools", kind: "used", color: "blue" },
  "MCP tools": { id: "mcp_tools", kind: "used", color: "magenta" },
  "Memory files": { id: "memory_files", kind: "used", color: "yellow" },
  Skills: { id: "skills", kind: "used", color: "green" },
  Messages: { id: "messages", kind: "used", color: "white" },
  "Reserved for answers": { id: "autocompact_buffer", kind: "buffer", color: "gray" },
  Free: { id: "free_space", kind: "free", color: "gray" },
}

const known = (name: string): Category => categoryOf[name] ?? { id: "messages", kind: "used", color: "white" }

const serverOf = (tool: string): string | undefined => /^mcp__(.+?)__/.exec(tool)?.[1]

const percent = (tokens: number, window: number): number => Math.round((tokens / window) * 100)

const side = 10

/** A hundred squares, each a share of the window, filled part by part. */
function grid(categories: readonly (Category & { name: string; tokens: number })[], window: number): object[][] {
  const squares = categories
    .flatMap(({ name, color, kind, tokens }) => {
      const share = (tokens / window) * side * side
      return Array.from({ length: Math.ceil(share) }, (_, i) => ({
        color,
        isFilled: kind === "used",
        categoryName: name,
        tokens,
        percentage: percent(tokens, window),
        squareFullness: Math.min(1, share - i),
      }))
    })
    .slice(0, side * side)
  return Array.from({ length: Math.ceil(squares.length / side) }, (_, row) =>
    squares.slice(row * side, (row + 1) * side),
  )
}
