/** The panel of a name, over the ports that are there. */

import { type Effect, note } from "#faces/tui/effect.ts"
import type { PermissionMode } from "#agent/words/permission.ts"
import type { ThemeName } from "#faces/tui/screen/theme.ts"
import type { Clock } from "#lib/clock.ts"
import { never } from "#lib/never.ts"
import { agentsPanel } from "./agents.ts"
import { branchesPanel } from "./branches.ts"
import { btwPanel } from "./btw.ts"
import { configPanel } from "./config.ts"
import { contextPanel } from "./context.ts"
import { changesPanel } from "./diff.ts"
import { effortPanel } from "./effort.ts"
import { gatesPanel } from "./gates.ts"
import { hooksPanel } from "./hooks.ts"
import { mcpPanel } from "./mcp.ts"
import { pluginsPanel } from "./plugins.ts"
import { memoryPanel } from "./memory.ts"
import { modelsPanel } from "./models.ts"
import { modesPanel } from "./modes.ts"
import type { PanelDefinition } from "./panel.ts"
import { permissionsPanel } from "./permissions.ts"
import { providersPanel } from "./providers.ts"
import type { PanelName, PanelPorts } from "./ports.ts"
import { rewindPanel } from "./rewind.ts"
import { runningPanel } from "./running.ts"
import { sandboxPanel } from "./sandbox.ts"
import { sessionsPanel } from "./sessions.ts"
import { skillsPanel } from "./skills.ts"
import { stylesPanel } from "./styles.ts"
import { tasksPanel } from "./tasks.ts"
import { teamPanel } from "./team.ts"
import { themesPanel } from "./themes.ts"
import { todosPanel } from "./todos.ts"

export interface AroundPanel {
  readonly ports: PanelPorts
  readonly model: string
  readonly mode: PermissionMode
  readonly clock: Clock
  readonly now: () => number
  readonly theme: ThemeName
  readonly setTheme: (theme: ThemeName) => void
  /** For effects while the panel stays open. */
  readonly act: (effect: Effect) => void
}

/** Undefined if its port is absent. */
export function panelNamed(
  name: PanelName,
  query: string,
  { ports, model, mode, clock, now, theme, setTheme, act }: AroundPanel,
): PanelDefinition<readonly Effect[]> | undefined {
  switch (name) {
    case "models":
      return ports.models && modelsPanel(ports.models, model, query)
    case "modes":
      return ports.modes && modesPanel(ports.modes, mode)
    case "btw":
      return ports.btw && btwPanel(ports.btw, query)
    case "effort":
      return ports.effort && effortPanel(ports.effort)
    case "gates":
      return ports.gates && gatesPanel(ports.gates)
    case "styles":
      return ports.styles && stylesPanel(ports.styles)
    case "sandbox":
      return ports.sandbox && sandboxPanel(ports.sandbox)
    case "sessions": {
      const { sessions } = ports
      if (!sessions?.open) return undefined
      return sessionsPanel({
        port: sessions,
        now,
        query,
        choose: (id) => ({ kind: "closes", result: [{ kind: "leave", resume: id }] }),
      })
    }
    case "permissions":
      return ports.permissions && permissionsPanel(ports.permissions, query)
    case "themes": {
      const { themes } = ports
      if (!themes) return undefined
      return themesPanel({
        current: theme,
        setTheme,
        async keep(chosen) {
          const kept = await themes.keep(chosen)
          return { kind: "closes", result: kept.ok ? [] : [note(kept.failure, "error")] }
        },
      })
    }
    case "rewind":
      return ports.rewind && rewindPanel(ports.rewind, now, query)
    case "changes":
      return ports.changes && changesPanel(ports.changes, query.trim() === "turn" ? "turn" : "session")
    case "context":
      return ports.context && contextPanel<readonly Effect[]>(ports.context, [])
    case "memory":
      return ports.memory && memoryPanel(ports.memory, query)
    case "branches":
      return ports.branches && branchesPanel(ports.branches, now, query)
    case "todos":
      return ports.todos && todosPanel(ports.todos)
    case "mcp":
      return ports.mcp && mcpPanel(ports.mcp, query)
    case "hooks":
      return ports.hooks && hooksPanel(ports.hooks, now, query)
    case "agents":
      return ports.agents && agentsPanel(ports.agents, query)
    case "running": {
      const { running } = ports
      if (!running) return undefined
      return runningPanel({
        port: running,
        now,
        open: (id) => ({ kind: "closes", result: [{ kind: "leave", resume: id }] }),
      })
    }
    case "tasks":
      return ports.tasks && tasksPanel(ports.tasks, clock)
    case "team":
      return ports.team && ports.tasks && teamPanel({ team: ports.team, agents: ports.tasks }, clock)
    case "skills":
      return ports.skills && skillsPanel(ports.skills, query)
    case "plugins":
      return ports.plugins && pluginsPanel(ports.plugins, query)
    case "config":
      return ports.config && configPanel(ports.config, { setTheme, act, query })
    case "login":
      return ports.login && providersPanel(ports.login, query)
    default:
      return never(name)
  }
}
