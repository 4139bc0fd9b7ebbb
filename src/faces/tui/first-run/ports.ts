/** What the questions before the first conversation ask of the world. */

import type { KeyPort } from "#faces/tui/panels/key.ts"
import type { ThemeName } from "#faces/tui/screen/theme.ts"
import type { Result } from "#lib/result.ts"

export interface FirstRunPorts {
  /** Present when there are no settings yet. */
  readonly themes?: { readonly keep: (theme: ThemeName) => Result<void, string> }
  /** Present when nothing says yet which model answers. */
  readonly reach?: ReachPort
  /** Present when the user has not said that they trust the folder, or what it would run has changed since. */
  readonly trust?: TrustPort
}

/** Ways to a model. */
export interface ReachPort {
  /** The variable of the environment that holds a key, if one does. */
  readonly keyVariable: string | undefined
  readonly key: KeyPort
  /** Servers that answer on this machine. */
  readonly servers: (signal: AbortSignal) => Promise<readonly LocalServer[]>
  readonly useServer: (server: LocalServer, model: string) => Result<void, string>
  readonly useSimulator: () => Result<void, string>
}

export interface LocalServer {
  readonly name: string
  readonly url: string
  readonly models: readonly string[]
  /** Why it cannot be used, if it cannot. */
  readonly unfit?: string
}

export interface TrustPort {
  readonly folder: string
  /** `changed`: it was trusted, and would run or permit something else now. */
  readonly why: "new" | "changed"
  /** How long a yes holds. */
  readonly lasts: "for good" | "session"
  /** What the project's files would run or permit; where it was trusted before, only what is not as it was then. */
  readonly runs: readonly TrustRow[]
  readonly accept: () => Result<void, string>
}

export interface TrustRow {
  readonly file: string
  readonly what: string
  readonly detail: string
  /** The rest of what it says. */
  readonly more?: readonly string[]
  readonly change?: "new" | "changed"
}
