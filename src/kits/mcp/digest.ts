/** A digest of a definition or instruction for the log, so that a later process can tell whether it changed. */

export const digestOf = (value: unknown): string => Bun.hash(JSON.stringify(value)).toString(36)
