/** What the panels show of what extends a session, and what they can do about it: from the session's own door. */

import type { Event } from "#agent/words/event.ts"
import type { Op } from "#agent/words/op.ts"
import type { McpPort, ServerRow, TasksPort } from "#faces/tui/panels/extension-ports.ts"
import type { Watch } from "#faces/tui/panels/panel.ts"
import type { PanelPorts } from "#faces/tui/panels/ports.ts"
import { failureWords } from "#faces/tui/words.ts"
import { given } from "#lib/given.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { estimateTokens } from "#lib/tokens.ts"
import type { McpLook } from "#session/look.ts"
import type { Session } from "#session/session.ts"

export function extensionPorts(session: Session): Pick<PanelPorts, "mcp" | "hooks" | "agents" | "tasks" | "skills"> {
  const { look } = session
  return {
    mcp: mcpPort(look.mcp),
    hooks: { look: look.hooks },
    agents: { list: look.agentTypes },
    skills: { list: look.definitions },
    tasks: tasksPort(session),
  }
}

const noServer = (name: string): Promise<Result<void, string>> =>
  Promise.resolve(failed(`There is no MCP server ${name}.`))

/** Without a server there is a panel all the same: it says how to come by one. */
const mcpPort = (mcp: McpLook | undefined): McpPort => ({
  servers: () => mcp?.servers().map(serverRow) ?? [],
  watch: mcp?.onChange ?? (() => () => {}),
  reconnect: mcp?.reconnect ?? noServer,
  enable: mcp?.enable ?? noServer,
  disable: mcp?.disable ?? noServer,
})

function serverRow(server: ReturnType<McpLook["servers"]>[number]): ServerRow {
  const { name, source, kind, status, reason, stderrTail, about, tools, prompts, resources } = server
  return {
    name,
    source,
    kind,
    status,
    ...given("reason", reason),
    ...given("stderrTail", stderrTail),
    ...given("about", about),
    tools: tools.map(({ name: tool, title, description, inputSchema }) => ({
      name: tool,
      about: description ?? title ?? "",
      tokens: estimateTokens(JSON.stringify({ name: tool, description, input_schema: inputSchema })),
    })),
    prompts: prompts.map((prompt) => prompt.name),
    resources: resources.length,
  }
}

function tasksPort(session: Session): TasksPort {
  const { agents, agent, background, entries } = session.look
  const submit = (op: Op): Result<void, string> => {
    const done = session.submit(op)
    if (done.ok) return ok(undefined)
    return failed(done.failure.kind === "no_such_question" ? "" : failureWords(done.failure.kind))
  }
  return {
    agents,
    agent,
    background,
    entries,
    watch: watchTasks(session),
    stop: (agentId) => submit({ type: "stop_agent", agentId }),
    say: (agentId, text) => submit({ type: "steer_agent", agentId, content: [{ type: "text", text }] }),
  }
}

/** From now on; what was said before is not told again. */
const watchTasks =
  (session: Session): Watch =>
  (changed) => {
    let isOver = false
    void (async () => {
      for await (const event of session.events(Number.MAX_SAFE_INTEGER)) {
        if (isOver) return
        if (concernsTasks(event)) changed()
      }
    })()
    return () => void (isOver = true)
  }

function concernsTasks(event: Event): boolean {
  if (event.type === "child") return event.event.type === "entry" || event.event.type === "tool_start"
  if (event.type !== "entry") return false
  const { kind } = event.entry
  return kind === "child" || kind === "reply" || kind === "intent" || kind === "result" || kind === "turn_end"
}
