/** What the questions before the first conversation ask of the world. */

import type { ProvidersPort } from "#faces/tui/panels/provider-panel-port.ts"
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
  readonly providers: ProvidersPort
  readonly useModel: (provider: string, model: string) => Result<void, string>
  readonly useSimulator: () => Result<void, string>
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
