/** The environment of a server or worker: read once, then hidden from whatever its sessions run. */

import { resolve } from "node:path"
import type { RawEnvironment } from "#ground/settings/environment.ts"
import { readSecrets, removeOwnSecrets, removeVariables } from "#ground/settings/own-secrets.ts"
import { hideProcess } from "#ground/workspace/processes/hide-process.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { Flag } from "#faces/cli/flags/flag.ts"
import type { Io } from "#faces/cli/io.ts"

export interface OwnEnvironment {
  readonly env: RawEnvironment
  readonly secretFiles: readonly string[]
}

export const secretsFlag: Flag<"secrets"> = {
  name: "secrets",
  kind: "value",
  takes: "file",
  about:
    "Read keys, such as ANTHROPIC_API_KEY and CODEWRIGHT_DATABASE, as NAME=value lines from this file, which only you can read, or from a descriptor (/dev/fd/3).",
}

/** `file`: more variables, from a private file or a descriptor. The failure is a sentence. */
export function ownEnvironment(file: string | undefined, io: Pick<Io, "warn">): Result<OwnEnvironment, string> {
  const fileVariables = file === undefined ? ok({}) : readSecrets(file)
  if (!fileVariables.ok) return failed(`--secrets: ${fileVariables.failure}`)
  const { env, secrets } = removeOwnSecrets(fileVariables.value)
  if (!hideProcess(secrets) && process.platform === "linux")
    io.warn("warning: this process cannot hide its memory, so other programs of the same user may read its keys.")
  return ok({ env, secretFiles: file === undefined ? [] : [resolve(file)] })
}

/** Variables that only the settings call secret: read into `env` before, and now gone from where others could read them. */
export function hideVariables(names: readonly string[]): void {
  removeVariables(names)
  hideProcess(names)
}

/** Lists of processes show arguments to everybody on the machine. */
export function warnOfPassword(database: string | undefined, io: Pick<Io, "warn">): void {
  if (database !== undefined && URL.canParse(database) && new URL(database).password !== "")
    io.warn(
      "warning: the password of the database is in the arguments, which every user of this machine can see. Use CODEWRIGHT_DATABASE or --secrets instead.",
    )
}
