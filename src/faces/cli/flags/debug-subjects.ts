/** What `--debug` can be asked about. */

export const debugSubjects = ["http", "mcp", "hooks", "permissions"] as const
export type DebugSubject = (typeof debugSubjects)[number]
