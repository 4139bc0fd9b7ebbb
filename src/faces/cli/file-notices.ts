/** What is said at the start about settings and files that are not used as they are written: one line, however many there are. */

/** A single notice is shown as it is. */
export function fileNotices(all: readonly string[]): readonly string[] {
  const once = [...new Set(all)]
  if (once.length < 2) return once
  return [
    `${once.length} entries of your settings and files are ignored or read differently. See them with: codewright doctor`,
  ]
}
