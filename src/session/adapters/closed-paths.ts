/** What no tool of a session may use of the state folder: our own secrets. */

import { join } from "node:path"
import type { ClosedPath } from "#kits/permissions/paths.ts"
import type { ClosedToTools } from "#session/opening/options.ts"
import { closedInState } from "#kits/sandbox/state-secrets.ts"

/** `own`: what the session itself keeps there. `more`: what else is closed, which the sandbox keeps from commands. */
export const closedPaths = (
  stateFolder: string,
  own: readonly string[] = [],
  more: readonly ClosedToTools[] = [],
): readonly ClosedPath[] => [
  ...closedInState().flatMap(({ paths, because }) =>
    paths.map((path) => ({ path: join(stateFolder, path), holds: because, except: own })),
  ),
  ...more.map(({ path, holds, except = [] }) => ({
    path,
    holds,
    except: [...own, ...except],
    heldBySandbox: true as const,
  })),
]
