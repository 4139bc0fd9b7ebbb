/** What the panels show of what extends a session, and what they can do about it: from the session's own door. */

import type { Event } from "#agent/words/event.ts"
import type { Op, ServerAct } from "#agent/words/op.ts"
import type { McpPort, TasksPort, TeamPort } from "#faces/tui/panels/extension-ports.ts"
import type { Subscribe } from "#faces/tui/panels/panel.ts"
import type { PanelPorts } from "#faces/tui/panels/ports.ts"
import { failureWords } from "#faces/tui/words.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { Answers } from "#session/port/query.ts"
import type { SessionPort } from "#session/port/session.ts"

export function extensionPorts(
  session: SessionPort,
): Pick<PanelPorts, "mcp" | "hooks" | "agents" | "tasks" | "team" | "skills" | "todos"> {
  return {
    mcp: mcpPort(session),
    hooks: { overview: () => session.ask({ type: "hooks" }) },
    agents: { list: () => session.ask({ type: "agent_types" }) },
    skills: { list: () => session.ask({ type: "definitions" }) },
    tasks: tasksPort(session),
    team: teamPort(session),
    todos: {
      list: () => session.ask({ type: "todos" }),
      set: (todos) => outcomeOf(session, { type: "set_todos", todos }),
      watch: watching(session, (event) => event.type === "entry" && event.entry.kind === "todo"),
    },
  }
}

/** Present even without servers: the panel then says how to add one. */
function mcpPort(session: SessionPort): McpPort {
  const doing = (act: ServerAct) => (name: string) => outcomeOf(session, { type: "server", name, act })
  return {
    servers: () => session.ask({ type: "servers" }),
    watch: watching(session, ({ type }) => type === "servers_change"),
    reconnect: doing("reconnect"),
    enable: doing("enable"),
    disable: doing("disable"),
    disableHere: doing("disable_here"),
    login: doing("login"),
  }
}

function tasksPort(session: SessionPort): TasksPort {
  return {
    agents: () => session.ask({ type: "agents" }),
    agent: (agentId) => session.ask({ type: "agent", agentId }),
    commands: () => session.ask({ type: "background", which: "all" }),
    output: (commandId) => session.ask({ type: "command_output", commandId }),
    turn: () => session.ask({ type: "turn" }),
    watch: watching(session, concernsTasks),
    stop: (agentId) => outcomeOf(session, { type: "stop_agent", agentId }),
    stopCommand: (commandId) => outcomeOf(session, { type: "stop_command", commandId }),
    say: (agentId, text) => outcomeOf(session, { type: "steer_agent", agentId, content: [{ type: "text", text }] }),
  }
}

function teamPort(session: SessionPort): TeamPort {
  const overview = (): Promise<Answers["team"]> => session.ask({ type: "team" })
  /** Members of this process are its agents. */
  async function to(name: string, op: (agentId: string) => Op): Promise<Result<void, string>> {
    const member = (await overview())?.members.find((one) => one.name === name)
    return member ? outcomeOf(session, op(member.sessionId)) : failed(`${name} is not in the team.`)
  }
  return {
    overview,
    watch: watching(session, (event) => event.type === "team_change" || concernsTasks(event)),
    say: (name, text) => to(name, (agentId) => ({ type: "steer_agent", agentId, content: [{ type: "text", text }] })),
    stop: (name) => to(name, (agentId) => ({ type: "stop_agent", agentId })),
    assign: (taskId, member) => outcomeOf(session, { type: "assign_task", taskId, to: member }),
  }
}

export async function outcomeOf(session: SessionPort, op: Op): Promise<Result<void, string>> {
  const done = await session.submit(op)
  return done.ok ? ok(undefined) : failed(failureWords(done.failure))
}

/** Only new events. */
export const watching =
  (session: SessionPort, concerns: (event: Event) => boolean): Subscribe =>
  (changed) => {
    let isOver = false
    void (async () => {
      for await (const event of session.events("now")) {
        if (isOver) return
        if (concerns(event)) changed()
      }
    })()
    return () => void (isOver = true)
  }

function happens(event: Event): boolean {
  return event.type === "child" ? happens(event.event) : event.type === "entry" || event.type === "tool_start"
}

function concernsTasks(event: Event): boolean {
  if (event.type === "child") return happens(event.event)
  if (event.type === "background_end") return true
  if (event.type !== "entry") return false
  const { kind } = event.entry
  return kind === "child" || kind === "reply" || kind === "intent" || kind === "result" || kind === "turn_end"
}
