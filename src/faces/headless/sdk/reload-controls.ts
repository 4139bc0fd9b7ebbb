/** Requests to read files again that people extend the program with, and to take a further project in. */

import { ok } from "#lib/result.ts"
import { opFailureWords } from "#session/port/op-failure-words.ts"
import type { Session } from "#session/port/session.ts"
import { type Controls, no } from "./control.ts"
import { agentRows, commandRows } from "./introduction.ts"
import { statusOf } from "./server-controls.ts"

export const reloadControls: Controls = {
  async reload_skills(_, { session }) {
    await readAgain(session)
    const [commands, skills] = await Promise.all([session.ask({ type: "commands" }), session.ask({ type: "skills" })])
    return ok({ skills: commandRows(commands.filter(({ name }) => skills.includes(name))) })
  },

  async reload_output_styles(_, { session }) {
    await readAgain(session)
    return ok({ available_output_styles: (await session.ask({ type: "styles" })).names })
  },

  /** Their files are read again; their hooks and servers are those of the start, so the list of tools stays as it is. */
  async reload_plugins({ add_plugins, hold_on_cache_impact, refuse_if_busy }, { session, isAtWork }) {
    if (Array.isArray(add_plugins) && add_plugins.length > 0)
      return no("Plugins can only be named when a session starts.")
    if (refuse_if_busy === true && (isAtWork() || (await hasAgents(session))))
      return no("The session is busy. Ask again when it is idle.", "reload_plugins_busy")
    await readAgain(session)
    const [commands, agents, servers, { plugins }] = await Promise.all([
      session.ask({ type: "commands" }),
      session.ask({ type: "agent_types" }),
      session.ask({ type: "servers" }),
      session.ask({ type: "about" }),
    ])
    return ok({
      commands: commandRows(commands),
      agents: agentRows(agents),
      plugins: plugins?.loaded ?? [],
      mcpServers: servers.map(statusOf),
      error_count: plugins?.problems.length ?? 0,
      ...(hold_on_cache_impact === true && { held: false }),
    })
  },

  async register_repo_root({ directory }, { session }) {
    if (typeof directory !== "string") return no("directory must be a string.")
    const added = await session.submit({ type: "add_folder", path: directory, as: "root" })
    if (!added.ok) return no(opFailureWords(added.failure))
    await readAgain(session)
    return ok(undefined)
  },
}

const hasAgents = async ({ ask }: Pick<Session, "ask">): Promise<boolean> =>
  (await ask({ type: "agents" })).some(({ fact }) => fact.state !== "ended")

/** Looking at the definitions reads their files. */
const readAgain = async ({ ask }: Pick<Session, "ask">): Promise<void> => void (await ask({ type: "definitions" }))
