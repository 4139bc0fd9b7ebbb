/** Programs in place of the clouds' own tools, which write down how they were called. */

import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { systemClock } from "#lib/clock.ts"
import type { CommandParts } from "#ground/models/clouds/outside.ts"
import type { TemporaryFolder } from "../../../../kit/tmp.ts"

export interface Tools {
  readonly command: CommandParts
  /** The arguments of each call, joined. */
  readonly calls: () => readonly string[]
}

/** Each tool is a script of lines for a shell. */
export function installTools(folder: TemporaryFolder, scripts: { readonly [name: string]: string }): Tools {
  const log = folder.join("calls")
  writeFileSync(log, "")
  for (const [name, script] of Object.entries(scripts)) {
    const path = folder.join("bin", name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `#!/bin/sh\necho "$(basename "$0") $*" >> ${log}\n${script}\n`)
    chmodSync(path, 0o755)
  }
  return {
    command: { env: { PATH: `${folder.join("bin")}:/usr/bin:/bin` }, clock: systemClock },
    calls: () => readFileSync(log, "utf8").trim().split("\n").filter(Boolean),
  }
}
