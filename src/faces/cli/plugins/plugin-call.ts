/** What a verb of `codewright plugin` works with. */

import type { Arguments } from "#faces/cli/flags/argv.ts"
import type { PluginFlag } from "#faces/cli/flags/plugin-flags.ts"
import type { Io } from "#faces/cli/io.ts"
import type { PluginContext } from "./plugin-context.ts"

export interface PluginCall {
  readonly context: PluginContext
  readonly args: Arguments<PluginFlag>
  readonly io: Io
}
