/** What no tool of a session may use of the state folder: our own secrets. */

import { join } from "node:path"
import type { ClosedPath } from "#kits/permissions/paths.ts"
import { closedInState } from "#kits/sandbox/state-secrets.ts"

/** `own`: what the session itself keeps there. `more`: what else is closed, which the sandbox keeps from commands. */
export const closedPaths = (
  stateFolder: string,
  own: readonly string[] = [],
  more: readonly { readonly path: string; readonly holds: string }[] = [],
): readonly ClosedPath[] => [
  ...closedInState().flatMap(({ paths, because }) =>
    paths.map((path) => ({ path: join(stateFolder, path), holds: because, except: own })),
  ),
  ...more.map((each) => ({ ...each, except: own, heldBySandbox: true as const })),
]
