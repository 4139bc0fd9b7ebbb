/** What the questions before the first conversation ask of the world. */

import type { KeyPort } from "#faces/tui/panels/key.ts"
import type { ThemeName } from "#faces/tui/screen/theme.ts"
import type { Result } from "#lib/result.ts"

export interface FirstRunPorts {
  /** Present when there are no settings yet. */
  readonly themes?: { readonly keep: (theme: ThemeName) => Result<void, string> }
  readonly reach?: ReachPort
  /** Present if the folder is not trusted, or what it would run has changed. */
  readonly trust?: TrustPort
}

export interface ReachPort {
  readonly keyVariable: string | undefined
  readonly key: KeyPort
  readonly servers: (signal: AbortSignal) => Promise<readonly LocalServer[]>
  readonly useServer: (server: LocalServer, model: string) => Result<void, string>
  readonly useSimulator: () => Result<void, string>
}

export interface LocalServer {
  readonly name: string
  readonly url: string
  readonly models: readonly string[]
  readonly unfit?: string
}

export interface TrustPort {
  readonly folder: string
  /** `changed`: trusted before, but would now run or permit something else. */
  readonly why: "new" | "changed"
  readonly lasts: "for good" | "session"
  /** If the folder was trusted before, only what has changed since. */
  readonly runs: readonly TrustRow[]
  readonly accept: () => Result<void, string>
}

export interface TrustRow {
  readonly file: string
  readonly what: string
  readonly detail: string
  readonly more?: readonly string[]
  readonly change?: "new" | "changed"
}
