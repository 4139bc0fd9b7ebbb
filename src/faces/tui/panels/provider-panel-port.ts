/** What the panels about providers ask of the world. */

import type { Result } from "#lib/result.ts"
import type { KeyKept } from "./key.ts"

export interface ProvidersPort {
  /** Those that can be used first. Asks servers on this machine whether they are there. */
  readonly list: (signal: AbortSignal) => Promise<readonly ProviderRow[]>
  /** `untested`: keeps a key although nobody could tell whether it works. */
  readonly keep: (name: string, key: string, wish: "tested" | "untested", signal: AbortSignal) => Promise<KeyKept>
  /** Removes a saved key; the message says what is used now. */
  readonly forget: (name: string) => Promise<Result<string, string>>
  /** Asks the provider for its models. */
  readonly models: (name: string, signal: AbortSignal) => Promise<Result<readonly string[], string>>
  readonly signIn: (name: string) => Promise<SignInPort>
  /** Tries a server, and saves it in the settings. */
  readonly add: (address: string, signal: AbortSignal) => Promise<Result<AddedServer, string>>
}

export interface ProviderRow {
  /** As in `provider/model`. */
  readonly name: string
  /** For people. */
  readonly who: string
  readonly state: "ready" | "needs key" | "not running"
  /** Where its key is, how many models it has, or what is missing. */
  readonly about: string
  /** Whether its key would have to be pasted: a server on this machine takes any. */
  readonly takesKey: boolean
  readonly signsIn?: true
  /** The page where keys are made. */
  readonly keysAt?: string
  readonly isSaved: boolean
}

export interface AddedServer {
  readonly name: string
  readonly needsKey: boolean
  readonly message: string
}

export interface SignInPort {
  readonly url: string
  /** `pastes`: the browser is on another machine and shows a code. */
  readonly how: "opened" | "comes back" | "pastes"
  /** When the browser came back; undefined when it was interrupted. */
  readonly came: (signal: AbortSignal) => Promise<KeyKept | undefined>
  /** A pasted code, or the address that the browser ended at. */
  readonly exchangeCode: (pasted: string, signal: AbortSignal) => Promise<KeyKept>
}
