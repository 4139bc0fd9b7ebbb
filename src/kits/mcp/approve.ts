/** Asks the user once about each server that a project's file wants to start. */

import { ownCall } from "#agent/words/question.ts"
import type { McpServer, McpServerConfig } from "#ground/mcp/server-config.ts"
import type { McpPorts } from "./ports.ts"

const startIt = "Start it"
const notNow = "Not now"
const never = "Never here"

export interface ApprovePorts extends Pick<McpPorts, "ask" | "canAsk" | "approve" | "resets" | "warn"> {
  readonly start: (name: string) => void
  /** Not asked about again in this session. */
  readonly drop: (name: string) => void
}

export async function approveServers(
  servers: readonly McpServer[],
  { ask, canAsk, approve, resets, warn, start, drop }: ApprovePorts,
  signal: AbortSignal,
): Promise<void> {
  if (!canAsk || !approve) return
  for (const server of servers) {
    const isAsked = server.held === "needs_approval" || server.held === "local"
    if (!isAsked || !server.config.ok || signal.aborted) continue
    const answer = await ask(
      {
        kind: "choice",
        callId: ownCall("mcp-approval"),
        about: [server.fingerprint ?? "", resets?.() ?? 0].join(" "),
        questions: [
          {
            header: "MCP server",
            question:
              server.held === "local"
                ? `This project wants to use the MCP server ${server.name} on this machine: ${describeServer(server.config.value)}. Its tools are offered to the model.`
                : `This project wants to start the MCP server ${server.name}: ${describeServer(server.config.value)}. It gets your rights, and its tools are offered to the model.`,
            options: [
              { label: startIt, description: "Now and from now on, as long as it stays what it is." },
              { label: notNow, description: "It is asked about again in the next session." },
              { label: never, description: "It is not started here, and not asked about again." },
            ],
            multiSelect: false,
            takes: "an option",
          },
        ],
      },
      signal,
    )
    if (signal.aborted) return
    drop(server.name)
    const said = answer.kind === "choices" ? Object.values(answer.answers)[0] : notNow
    if (said !== startIt && said !== never) continue
    const kept = approve(server, said === startIt)
    if (!kept.ok) warn(kept.failure)
    if (said === startIt) start(server.name)
  }
}

function describeServer(config: McpServerConfig): string {
  const named = (names: readonly string[], words: string): string =>
    names.length === 0 ? "" : ` with ${names.join(", ")} ${words}`
  if (config.kind === "stdio")
    return `it runs ${[config.command, ...config.args].join(" ")}${named(Object.keys(config.env), "set")}`
  if (config.kind === "sdk") return "it runs inside the client"
  const helper = config.headersHelper === undefined ? "" : `, and runs ${config.headersHelper} for more headers`
  return `it reaches ${config.url}${named(Object.keys(config.headers), "as headers")}${helper}`
}
