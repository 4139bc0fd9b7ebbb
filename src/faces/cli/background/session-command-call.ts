/** What the commands about one session work with. */

import type { Arguments } from "#faces/cli/flags/argv.ts"
import type { Io } from "#faces/cli/io.ts"
import type { Where } from "#faces/cli/where.ts"

export type OneFlag = "json" | "follow" | "help"

export interface OneCall {
  readonly args: Arguments<OneFlag>
  readonly words: readonly string[]
  readonly where: Where
  readonly io: Io
}
