/** The panel of MCP servers: how each stands and what it costs; one that is opened shows its tools, and can be reached again or turned off. */

import { counted, tokensText } from "#lib/figures.ts"
import { never } from "#lib/never.ts"
import type { Result } from "#lib/result.ts"
import { firstLine } from "#lib/rows.ts"
import type { McpPort, ServerRow, ServerStatus } from "./extension-ports.ts"
import type { ListDefinition, PanelOutcome, PanelKey, PanelRow, TextDefinition, TextPage } from "./panel.ts"
import { factRows, listRows, passage, textRows, warningRows } from "./passage.ts"
import { drawnOnce } from "./place.ts"

/** The last error rows say most. */
const mostErrorRows = 8

export function mcpPanel<T>(port: McpPort, query: string): ListDefinition<T> {
  return {
    kind: "list",
    title: "MCP servers",
    empty: "No MCP servers are configured. Add one with codewright mcp add, or in .mcp.json.",
    search: "rows",
    query,
    takes: "open",
    watch: port.watch,
    load: async () => (await port.servers()).map(rowOf),
    take: async ({ key }) => ({ kind: "opens", panel: serverPanel(port, key) }),
  }
}

function rowOf(server: ServerRow): PanelRow {
  const { name, source, status, tools, reason } = server
  const facts = [
    statusWords(status),
    source,
    ...(status === "connected" ? [counted(tools.length, "tool"), tokensText(costOf(server))] : []),
    // The longest comes last: it may be cut.
    ...(status === "failed" && reason !== undefined ? [firstLine(reason)] : []),
  ]
  return { key: name, text: name, facts: facts.join(" · ") }
}

const costOf = ({ tools }: ServerRow): number => tools.reduce((sum, { tokens }) => sum + tokens, 0)

function statusWords(status: ServerStatus): string {
  switch (status) {
    case "connected":
      return "connected"
    case "connecting":
      return "connecting"
    case "failed":
      return "failed"
    case "needs_approval":
      return "needs your approval"
    case "needs_login":
      return "needs login"
    case "disabled":
      return "disabled"
    default:
      return never(status)
  }
}

const serverPanel = <T>(port: McpPort, name: string): TextDefinition<T> => ({
  kind: "text",
  title: name,
  begins: "top",
  watch: port.watch,
  async load() {
    const server = (await port.servers()).find((one) => one.name === name)
    return server ? pageOf(port, server) : { draw: warningRows("This server is no longer configured."), keys: [] }
  },
})

function pageOf<T>(port: McpPort, server: ServerRow): TextPage<T> {
  const { name, status, readOnly, kind, source, about, tools, prompts, resources, reason, stderrTail } = server
  const facts = factRows([
    ["Status", statusWords(status)],
    ["From", source],
    ["Transport", kind],
    ["About", about],
    ["Plan mode", readOnly ? "tools allowed: you marked this server as read-only" : undefined],
    ["Prompts", prompts.join(", ")],
    ["Resources", resources === 0 ? undefined : `${resources} · type @${name}: to mention one`],
    ["Context", tools.length === 0 ? undefined : `${tokensText(costOf(server))} for ${counted(tools.length, "tool")}`],
  ])
  const todo = status === "needs_login" ? `Log in with: codewright mcp login ${name}` : undefined
  return {
    draw: drawnOnce(
      passage(
        facts,
        warningRows(reason),
        // The reason may say it already.
        warningRows(todo !== undefined && reason?.includes(todo) ? undefined : todo),
        textRows("Last error output", stderrTail, mostErrorRows),
        listRows(
          "Tools",
          tools.map((tool) => [tool.name, `${tokensText(tool.tokens)} · ${firstLine(tool.about)}`]),
        ),
      ),
    ),
    keys: keysOf(port, server),
  }
}

function keysOf<T>(port: McpPort, { name, status }: ServerRow): readonly PanelKey<T>[] {
  const key = (
    letter: string,
    about: string,
    run: (name: string) => Promise<Result<void, string>>,
    done: string,
  ): PanelKey<T> => ({
    name: letter,
    about,
    async run(): Promise<PanelOutcome<T>> {
      const came = await run(name)
      if (came.ok) return { kind: "stays", note: done }
      // The page may say the very same already.
      const isShown = (await port.servers()).some((one) => one.name === name && one.reason === came.failure)
      return { kind: "stays", note: isShown ? "Still not connected." : came.failure }
    },
  })
  if (status === "disabled" || status === "needs_approval")
    return [key("e", status === "disabled" ? "enable" : "approve and start", port.enable, "Connected.")]
  return [
    key("r", status === "connected" ? "reconnect" : "retry", port.reconnect, "Connected."),
    key("e", "disable", port.disable, "Disabled for this session."),
  ]
}
