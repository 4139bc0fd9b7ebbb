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

  /** There are no plugins, but a client counts on the lists. */
  async reload_plugins({ add_plugins, hold_on_cache_impact }, { session }) {
    if (Array.isArray(add_plugins) && add_plugins.length > 0) return no("Plugins are not supported.")
    await readAgain(session)
    const [commands, agents, servers] = await Promise.all([
      session.ask({ type: "commands" }),
      session.ask({ type: "agent_types" }),
      session.ask({ type: "servers" }),
    ])
    return ok({
      commands: commandRows(commands),
      agents: agentRows(agents),
      plugins: [],
      mcpServers: servers.map(statusOf),
      error_count: 0,
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

/** Looking at the definitions reads their files. */
const readAgain = async ({ ask }: Pick<Session, "ask">): Promise<void> => void (await ask({ type: "definitions" }))
