/** The user's answers about starting language servers, by project and by what would be started, kept in the state folder. */

import { join } from "node:path"
import { digestOf } from "#lib/digest.ts"
import { projectIn, projectsIn, replaceFile } from "#lib/state-file.ts"
import type { Result } from "#lib/result.ts"
import type { LanguageServer } from "./server-config.ts"

export interface ServerApprovals {
  /** Undefined when nobody was asked, or the server has changed since. */
  readonly get: (root: string, server: LanguageServer) => boolean | undefined
  readonly keep: (root: string, server: LanguageServer, isApproved: boolean) => Result<void, string>
}

export function openServerApprovals(stateFolder: string): ServerApprovals {
  const file = join(stateFolder, "lsp-approvals.json")
  return {
    get(root, server) {
      const said = projectIn(file, root)[fingerprintOf(server)]
      return typeof said === "boolean" ? said : undefined
    },
    keep(root, server, isApproved) {
      const whole = {
        version: 1,
        projects: { ...projectsIn(file), [root]: { ...projectIn(file, root), [fingerprintOf(server)]: isApproved } },
      }
      return replaceFile(file, `${JSON.stringify(whole, null, 2)}\n`)
    },
  }
}

/** Everything that decides what runs. */
export function fingerprintOf({ command, args, env, initializationOptions, settings }: LanguageServer): string {
  return digestOf([command, args, env, initializationOptions ?? null, settings ?? null])
}
