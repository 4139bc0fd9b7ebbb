/** Servers that are added while a session is open: whoever listed providers before then reads the settings again. */

export interface AddedServers<Setting> {
  /** The settings since the last one was added; undefined if none was. */
  readonly latest: () => Setting | undefined
  readonly add: (setting: Setting) => void
  readonly onAdd: (listener: (setting: Setting) => void) => void
}

export function openAddedServers<Setting>(): AddedServers<Setting> {
  let latest: Setting | undefined
  const listeners: ((setting: Setting) => void)[] = []
  return {
    latest: () => latest,
    add(setting) {
      latest = setting
      for (const listener of listeners) listener(setting)
    },
    onAdd: (listener) => void listeners.push(listener),
  }
}
