/** The program as commands of a session know it. What a command needs is loaded when it is first used. */

import type { ProgramCommands, ProgramCommand, SlashAnswer } from "#session/opening/program.ts"
import type { ProgramParts } from "./program-parts.ts"

type RunCommand = (words: string, parts: ProgramParts) => Promise<SlashAnswer>

const runs: { readonly [command in ProgramCommand]: () => Promise<RunCommand> } = {
  status: async () => (await import("./status-text.ts")).statusAnswer,
  doctor: async () => (await import("#faces/cli/doctor/doctor-text.ts")).doctorAnswer,
  config: async () => (await import("./config-rows.ts")).configAnswer,
  plugins: async () => (await import("#faces/cli/plugins/plugins-answer.ts")).pluginsAnswer,
  login: async () => (await import("#faces/cli/models/login-text.ts")).loginAnswer,
  logout: async () => (await import("#faces/cli/models/login-text.ts")).logoutAnswer,
  export: async () => (await import("#faces/cli/sessions/export-here.ts")).exportAnswer,
  share: async () => (await import("#faces/cli/sessions/export-here.ts")).shareAnswer,
  stats: async () => (await import("#faces/cli/sessions/stats-text.ts")).statsAnswer,
  bug: async () => (await import("#faces/cli/doctor/bug-report.ts")).bugAnswer,
  ide: async () => (await import("#faces/cli/editor/ide-command.ts")).ideAnswer,
  running: async () => (await import("#faces/cli/background/running-answer.ts")).runningAnswer,
  statusline: async () => (await import("./status-line-text.ts")).statusLineAnswer,
}

/** `session` is read when a command needs it: by then it is open. */
export const openProgram = (
  parts: Pick<ProgramParts, "setting" | "models" | "editor">,
  session: () => ProgramParts["session"],
): ProgramCommands => ({
  run: async (command, words) => (await runs[command]())(words, { ...parts, session: session() }),
})
