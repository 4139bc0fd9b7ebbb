/** `/statusline`: which command draws the status line, and another one for it. */

import type { SlashAnswer } from "#session/opening/program.ts"
import { changeSetting } from "./config-rows.ts"
import { type ProgramParts, refused, said } from "./program-parts.ts"

export async function statusLineAnswer(words: string, { setting }: ProgramParts): Promise<SlashAnswer> {
  const command = words.trim()
  if (command !== "") {
    const value = { type: "command", command: command === "off" ? "" : command }
    const saved = await changeSetting(setting, "statusLine", value)
    return saved.ok ? said(`${saved.value} Applies to new sessions.`) : refused(saved.failure)
  }
  const current = setting.loaded.settings.statusLine
  const from = setting.loaded.explain("statusLine").from[0]?.file
  return said(
    [
      current === undefined || current.command === ""
        ? "No status line command is set."
        : `Status line command: ${current.command}${from === undefined ? "" : `\nSet in ${from}.`}`,
      "Set one with /statusline <command>: the command gets JSON on standard input (session, model, folder, cost, context) and prints the line.",
      "For example: /statusline jq -r '.model.display_name + \" \" + .workspace.current_dir'",
      "Turn it off with /statusline off. codewright docs status-line lists what the command gets.",
    ].join("\n"),
  )
}
