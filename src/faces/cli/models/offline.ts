/** `--offline`: nothing but the model is contacted; whatever a session starts is confined without a network. */

import type { LoadedSettings } from "#ground/settings/load.ts"
import { offlineWords } from "./offline-words.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"
import type { SandboxChoice } from "#session/opening/options.ts"

/** Said at start: what it means here. */
export async function offlineNotes({ loaded, cwd, state }: StartupContext): Promise<readonly string[]> {
  const { wallsHere } = await import("#faces/cli/permissions/walls-here.ts")
  const { workspace, why = "" } = await wallsHere(state, offlineSandbox(loaded, cwd).values)
  if (workspace !== "broken") return [offlineWords]
  return [
    `${offlineWords} Commands, hooks and local MCP servers do not run, because the sandbox does not work here: ${why}`,
  ]
}

/** Nothing may leave the sandbox, and where it does not work nothing runs that could reach the network. */
export const offlineSandbox = ({ settings, sandbox }: LoadedSettings, cwd: string): SandboxChoice => {
  const closed = { network: { deniedDomains: ["*"] } }
  return {
    values: {
      ...settings.sandbox,
      ...closed,
      enabled: true,
      hooks: true,
      mcp: true,
      allowUnsandboxedCommands: false,
      excludedCommands: [],
    },
    sources: [{ source: "command line", file: "--offline", base: cwd, value: closed }, ...sandbox],
  }
}
