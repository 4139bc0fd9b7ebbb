/** Where the members of a team run. */

import { processEnvironment } from "#ground/settings/environment.ts"
import type { Settings } from "#ground/settings/settings.ts"
import type { Arguments } from "./argv.ts"
import type { FlagName } from "./flags.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"

type TeammateMode = NonNullable<Settings["teammateMode"]>

export function teammateMode(
  args: Arguments<FlagName>,
  { loaded }: StartupContext,
  face: "terminal" | "headless",
): Exclude<TeammateMode, "auto"> {
  // The parser has held the value against the list.
  const mode = (args.value("teammate-mode") as TeammateMode | undefined) ?? loaded.settings.teammateMode ?? "in-process"
  if (mode !== "auto") return mode
  return face === "terminal" && processEnvironment().TMUX !== undefined ? "tmux" : "in-process"
}
