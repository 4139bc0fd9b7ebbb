/** For a session that is only pretended: there is nothing to be seen of it but what happens. */

import { failed } from "#lib/result.ts"
import type { Look } from "#session/look.ts"

export const noLook: Look = {
  command: () => Promise.resolve(undefined),
  entries: () => [],
  requests: () => [],
  points: async () => failed("There is no past."),
  preview: async () => failed("There is no past."),
  branches: () => [],
  diff: async () => failed("There is no past."),
  summary: async () => failed("There is no past."),
  plan: () => undefined,
  background: () => [],
  commands: () => [],
  definitions: () => [],
  skills: () => [],
  outputStyle: () => "default",
  outputStyles: () => ["default"],
  context: () => ({ window: 0, parts: [] }),
  tools: () => [],
  mcp: undefined,
  agentTypes: () => [],
  agents: () => [],
  agent: () => undefined,
  hooks: () => ({ configured: [], problems: [], runs: [] }),
  memory: { files: async () => [], add: async () => failed("There are no memory files.") },
}
