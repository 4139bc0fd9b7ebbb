/** Undo: the checkpoints kit over this project's snapshot store, which is opened with the first change. */

import { join } from "node:path"
import type { EntryBody } from "#agent/words/entry.ts"
import { fileHistory } from "#ground/settings/state-folder.ts"
import type { Checkpoints } from "#kits/checkpoints/checkpoints.ts"
import { checkpointsKit } from "#kits/checkpoints/kit.ts"
import type { Ground } from "./ground.ts"
import { defaultLimits } from "#ground/snapshots/limits.ts"
import { excludedFolders } from "#ground/workspace/excluded-folders.ts"
import { realPath } from "#ground/workspace/paths.ts"
import type { Lineage } from "#session/opening/lineage.ts"
import type { SessionOptions } from "#session/opening/options.ts"

/** More than are ever covered, so that no file is dropped here. */
const mostListed = 50_000

export interface UndoParts extends Pick<SessionOptions, "place" | "undo" | "clock" | "ids" | "log"> {
  readonly ground: Ground
  readonly lineage: Pick<Lineage, "sessionId">
  readonly record: (body: EntryBody) => void
  readonly sync: () => Promise<unknown>
  /** Whether a command of a started agent runs in the background. */
  readonly isBusy: () => boolean
}

export function openUndo(parts: UndoParts): Checkpoints {
  const { place, clock, ids, log, lineage, ground, record, sync, isBusy } = parts
  const { workspace, folders, sessionFolder } = ground
  const exclusions = excludedFolders(parts.undo?.exclude ?? [], place).folders
  const excludedPaths = exclusions.map(({ path }) => path)
  // An unsaved session takes its snapshots with it, including the old content of files.
  const folder = log.kind === "none" ? join(sessionFolder, "file-history") : fileHistory(place.stateFolder, place.cwd)
  return checkpointsKit({
    async open() {
      const { openSnapshots } = await import("#ground/snapshots/snapshots.ts")
      return openSnapshots({
        folder,
        roots: folders.all,
        excluded: [place.stateFolder, sessionFolder],
        exclusions: excludedPaths,
        clock,
        ids,
        pid: place.pid,
        async listed(root, signal) {
          const found = await workspace.search.files({ folder: root, pattern: "**/*", most: mostListed, signal })
          return found.ok ? found.value.paths : undefined
        },
      })
    },
    recorder: {
      covers: ground.walls.canRecord,
      folder: join(folder, "journals", lineage.sessionId),
      place: (journal) => ({
        folder: journal,
        roots: folders
          .all()
          .map((root) => realPath(root))
          .filter((root) => root !== "/"),
        except: [...[place.stateFolder, sessionFolder].map((path) => realPath(path)), ...excludedPaths],
        copiedBytes: defaultLimits.copiedBytes,
      }),
    },
    record,
    sync,
    isBusy: () => isBusy() || workspace.background.list().some(({ status }) => status === "running"),
    show: workspace.paths.show,
    folder,
    root: place.cwd,
    exclusions,
  })
}
