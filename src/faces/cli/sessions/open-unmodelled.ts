/** Opens a session of before with nobody to think for it: for what is done to its log and its files. */

import { release } from "node:os"
import { join } from "node:path"
import type { Model } from "#agent/words/model.ts"
import { ripgrepWhenNeeded } from "#ground/bundled/ripgrep.ts"
import { factsByName } from "#ground/models/by-name.ts"
import { projectSlug } from "#ground/settings/state-folder.ts"
import type { SessionRow } from "#ground/transcript/catalog.ts"
import { openSessionLogs } from "#ground/transcript/session-logs.ts"
import { openPrices } from "#kits/budget/prices.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import type { Result } from "#lib/result.ts"
import { version } from "#lib/version.ts"
import { headless } from "#session/opening/manner.ts"
import { type OpenFailure, openSession } from "#session/open.ts"
import type { Session } from "#session/port/session.ts"
import { noNetwork } from "#faces/cli/models/configured-network.ts"
import type { Where } from "#faces/cli/where.ts"

/** Without provider, key and settings: nothing that they decide can happen here. */
export async function openUnmodelled(
  { id, path, cwd, model }: SessionRow,
  { home, state, projects }: Where,
  /** The folders that undo left out while the session ran. */
  exclude: readonly string[],
): Promise<Result<Session, OpenFailure>> {
  return openSession({
    id,
    log: { kind: "resume", path },
    isTransient: true,
    sessionLogs: openSessionLogs({ projects, slug: projectSlug(cwd) }),
    place: {
      cwd,
      home,
      stateFolder: state,
      addedFolders: [],
      childEnv: () => ({}),
      network: noNetwork(),
      ripgrep: ripgrepWhenNeeded(join(state, "cache")),
      platform: process.platform,
      osVersion: release(),
      version,
      entrypoint: "cli",
      pid: process.pid,
    },
    model: { port: silent, id: model, given: false, small: model, factsOf: factsByName, prices: openPrices() },
    // The mode stays what it is: it holds again when the session is gone on with.
    permissions: { mode: "default", modeGiven: false, bypassAvailable: true, rules: [] },
    manner: headless,
    system: {},
    undo: { exclude },
    limits: { concurrency: 1, graceMs: 5_000, repeats: 0, thinking: { type: "off" } },
    shell: { defaultTimeoutMs: 1, maxTimeoutMs: 1, outputCharacters: 1 },
    clock: systemClock,
    ids: systemIds,
  })
}

const silent: Model = {
  async *stream() {
    yield { type: "error", failure: { kind: "rejected", message: "This session was opened without a model." } }
  },
}
