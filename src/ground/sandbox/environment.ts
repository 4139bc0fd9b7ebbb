/** The environment of a confined program: its own temporary folder, and no way to processes outside. */

import type { Policy } from "./policy.ts"
import type { Confinable } from "./port.ts"

/** Ways to processes outside: sockets of agents and of the desktop. */
const doors: ReadonlySet<string> = new Set([
  "SSH_AUTH_SOCK",
  "SSH_AGENT_PID",
  "GPG_AGENT_INFO",
  "DBUS_SESSION_BUS_ADDRESS",
  "DBUS_SYSTEM_BUS_ADDRESS",
  "XDG_RUNTIME_DIR",
  "DISPLAY",
  "WAYLAND_DISPLAY",
  "DOCKER_HOST",
  "TMUX",
])

export function confinedEnvironment(env: Confinable["env"], { temp }: Policy): Record<string, string> {
  const kept = Object.entries(env).filter(([name]) => !doors.has(name))
  const folder = temp.asTmp ? "/tmp" : temp.folder
  return { ...Object.fromEntries(kept), TMPDIR: folder, TMP: folder, TEMP: folder }
}
