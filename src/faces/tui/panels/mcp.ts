/** The panel of MCP servers: how each stands and what it costs; one that is opened shows its tools, and can be reached again or turned off. */

import { counted, tokensText } from "#lib/figures.ts"
import type { Result } from "#lib/result.ts"
import { firstLine } from "#lib/rows.ts"
import type { Answers } from "#session/port/query.ts"
import { serversReport, serverStatus, serverTokens, toolTokens } from "#session/slash/reports.ts"
import type { McpPort } from "./extension-ports.ts"
import { reportList } from "./report-list.ts"
import type { ListDefinition, PanelOutcome, PanelKey, TextDefinition, TextPage } from "./panel.ts"
import { factRows, listRows, passage, textRows, warningRows } from "./passage.ts"
import { drawnOnce } from "./place.ts"

type ServerState = Answers["servers"][number]

/** The last error rows say most. */
const mostErrorRows = 8

export const mcpPanel = <T>(port: McpPort, query: string): ListDefinition<T> =>
  reportList(serversReport, port.servers, query, {
    watch: port.watch,
    choose: async ({ key }) => ({ kind: "opens", panel: serverPanel(port, key) }),
  })

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

function pageOf<T>(port: McpPort, server: ServerState): TextPage<T> {
  const { name, status, readOnly, kind, revision, source, about, tools, prompts, resources, reason, stderrTail } =
    server
  const facts = factRows([
    ["Status", serverStatus[status]],
    ["From", source],
    ["Transport", kind],
    ["Protocol", revision],
    ["About", about],
    ["Plan mode", readOnly ? "tools allowed: you marked this server as read-only" : undefined],
    ["Prompts", prompts.map((prompt) => prompt.name).join(", ")],
    ["Resources", resources.length === 0 ? undefined : `${resources.length} · type @${name}: to mention one`],
    [
      "Context",
      tools.length === 0 ? undefined : `${tokensText(serverTokens(tools))} for ${counted(tools.length, "tool")}`,
    ],
  ])
  const todo = status === "needs_login" ? "Press l to log in here." : undefined
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
          tools.map((tool) => [
            tool.name,
            `${tokensText(toolTokens(tool))} · ${firstLine(tool.description ?? tool.title ?? "")}`,
          ]),
        ),
      ),
    ),
    keys: keysOf(port, server),
  }
}

function keysOf<T>(port: McpPort, { name, status, isUntrusted }: ServerState): readonly PanelKey<T>[] {
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
  if (isUntrusted) return []
  if (status === "disabled" || status === "needs_approval")
    return [key("e", status === "disabled" ? "enable" : "approve and start", port.enable, "Connected.")]
  return [
    ...(status === "needs_login" ? [key("l", "log in", port.login, "Approve access in the browser.")] : []),
    key("r", status === "connected" ? "reconnect" : "retry", port.reconnect, "Connected."),
    key("e", "disable", port.disable, "Disabled for this session."),
    key("d", "disable here", port.disableHere, "Disabled in this folder until you enable it."),
  ]
}
