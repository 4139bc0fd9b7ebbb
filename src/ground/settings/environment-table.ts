/**
 * Every environment variable that is read, in one table: the program reads through it and the reference page is
 * generated from it.
 */

import { connectionVariables } from "./connection-variables.ts"
import { serviceVariables } from "./service-variables.ts"
import { telemetryVariables } from "./telemetry-variables.ts"
import { userVariables } from "./user-variables.ts"
import { workVariables } from "./work-variables.ts"

export interface Variable {
  readonly name: string
  /** Names of the ecosystem used when the first is not set, strongest first. */
  readonly aliases?: readonly string[]
  readonly type: "string" | "number" | "boolean" | "path"
  readonly default?: string | number | boolean
  readonly least?: number
  readonly most?: number
  /** Any value at all means true, as is the convention for this variable. */
  readonly anyValue?: true
  /** `auto`, alone or followed by a colon and a number, means the default, as the ecosystem writes it. */
  readonly auto?: true
  /** Belongs to the user: the `env` of a project's settings never sets it. */
  readonly personal?: true
  readonly meaning: string
}

type EnvironmentTable = typeof userVariables &
  typeof serviceVariables &
  typeof workVariables &
  typeof telemetryVariables &
  typeof connectionVariables

/** By the name of the field in `Environment`. */
export const environmentTable: EnvironmentTable = {
  ...userVariables,
  ...serviceVariables,
  ...workVariables,
  ...telemetryVariables,
  ...connectionVariables,
}
