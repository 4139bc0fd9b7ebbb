/** What the state folder holds that is secret. */

interface StateRow {
  readonly because: string
  readonly paths: readonly string[]
  /** Tools never get it, whatever rules and modes say. */
  readonly isClosed?: true
}

export const secretsInState: readonly StateRow[] = [
  {
    because: "Codewright's own credentials",
    paths: ["key.json", "server-token", "push-key", "mcp-logins"],
    isClosed: true,
  },
  { because: "Codewright's own credentials", paths: ["mcp.json"] },
  { because: "sockets of open sessions", paths: ["sockets"], isClosed: true },
  { because: "the tasks and mail of teams", paths: ["teams"], isClosed: true },
  { because: "the database of codewright serve", paths: ["database"], isClosed: true },
  { because: "sessions and repositories of codewright serve", paths: ["fleet"], isClosed: true },
  {
    because: "sessions of other projects",
    paths: ["projects", "file-history", "history", "logs", "reports", "cache/sessions.sqlite"],
  },
]

/** What no tool of a session may read or change in the state folder. */
export const closedInState = (): readonly StateRow[] => secretsInState.filter(({ isClosed }) => isClosed)
