/**
 * The environment of a confined program: its own temporary folder, no access to processes outside, and no
 * credentials.
 */

import type { Policy } from "./policy.ts"
import type { Confinable } from "./port.ts"

/** Access to processes outside: sockets of agents and of the desktop. */
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

export function confinedEnvironment(
  env: Confinable["env"],
  { temp, withoutVariables = { names: [], except: [] } }: Policy,
): Record<string, string> {
  const isWithheld = withheld(withoutVariables)
  const kept = Object.entries(env).filter(([name]) => !doors.has(name) && !isWithheld(name))
  const folder = temp.asTmp ? "/tmp" : temp.folder
  return { ...Object.fromEntries(kept), TMPDIR: folder, TMP: folder, TEMP: folder }
}

function withheld({ names, except }: NonNullable<Policy["withoutVariables"]>): (name: string) => boolean {
  const plain = new Set(names)
  const patterns = names
    .filter((name) => name.includes("*"))
    .map((name) => new RegExp(`^${name.split("*").map(RegExp.escape).join(".*")}$`))
  return (name) => !except.includes(name) && (plain.has(name) || patterns.some((pattern) => pattern.test(name)))
}
