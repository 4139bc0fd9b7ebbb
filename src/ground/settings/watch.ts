/** Watches settings files while a session is open. Costs nothing until the system reports a change. */

import { type FSWatcher, watch } from "node:fs"
import { dirname } from "node:path"
import type { Clock } from "#lib/clock.ts"
import { textOfFile } from "#lib/quietly.ts"

export interface SettingsWatch {
  readonly close: () => void
}

/** Editors write a file in several steps; one change is reported once. */
const settleMs = 100

/**
 * Calls back with the files whose text has changed. Folders are watched, not files, because a file may be created,
 * replaced or removed; and where a folder does not exist yet, its nearest existing parent.
 */
export function watchSettings(parts: {
  readonly files: readonly string[]
  readonly clock: Clock
  readonly onChange: (files: readonly string[]) => void
}): SettingsWatch {
  const texts = new Map(parts.files.map((file) => [file, textOfFile(file)]))
  let watchers = new Map<string, FSWatcher>()
  let cancel: (() => void) | undefined

  const stir = (): void => {
    cancel?.()
    cancel = parts.clock.after(settleMs, checkFiles)
  }

  function checkFiles(): void {
    cancel = undefined
    // First, so that no change falls between reading and watching.
    watchFolders()
    const changed = parts.files.filter((file) => {
      const text = textOfFile(file)
      const isOther = text !== texts.get(file)
      texts.set(file, text)
      return isOther
    })
    if (changed.length > 0) parts.onChange(changed)
  }

  /**
   * Repeated each time: a folder that appeared or went away changes which parent is nearest, and a replaced one no
   * longer reports anything.
   */
  function watchFolders(): void {
    const before = watchers
    watchers = new Map()
    for (const folder of new Set(parts.files.map(dirname))) {
      for (let at = folder; !watchers.has(at); at = dirname(at)) {
        const watcher = watched(at)
        if (watcher) watchers.set(at, watcher)
        if (watcher || at === dirname(at)) break
      }
    }
    for (const watcher of before.values()) watcher.close()
  }

  function watched(folder: string): FSWatcher | undefined {
    try {
      return watch(folder, { persistent: false }, stir).on("error", stir)
    } catch {
      return undefined
    }
  }

  watchFolders()
  return {
    close() {
      cancel?.()
      for (const watcher of watchers.values()) watcher.close()
    },
  }
}
