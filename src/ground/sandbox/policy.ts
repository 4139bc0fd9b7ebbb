/** What a confined program may touch and reach, each line with its reason: one value, whoever enforces it. */

export interface Policy {
  /** What the policy is for; it is told in the log and on the screen. */
  readonly name: "reader" | "workspace"
  /** What can be written, with all that lies below. Everything else can only be read. */
  readonly writes: readonly PolicyLine[]
  /** What can only be read although it lies in something that can be written. */
  readonly held: readonly HeldLine[]
  /** What cannot be read either. */
  readonly hidden: readonly PolicyLine[]
  /** What can be read although it lies in something hidden. */
  readonly shown?: readonly PolicyLine[]
  /** What another folder lies over, so that programs write there in its place. */
  readonly replaced?: readonly ReplacedLine[]
  /** Variables that are removed from the environment, by name; a `*` stands for any characters. */
  readonly withoutVariables?: { readonly names: readonly string[]; readonly except: readonly string[] }
  readonly temp: TempFolder
  readonly network: NetworkPolicy
  readonly limits: Limits
}

export interface PolicyLine {
  /** An absolute path, links resolved as far as it exists. */
  readonly path: string
  /** Why, in a few words for people: `the working folder`, `sandbox.filesystem.allowWrite in ~/.codewright/settings.json`. */
  readonly because: string
}

export interface HeldLine extends PolicyLine {
  /**
   * What stands at the path while a command runs, when nothing is there: an empty folder, or a file with content that
   * means nothing to whoever reads it. Without it a path that does not exist is not held.
   */
  readonly placeholder?: { readonly kind: "folder" } | { readonly kind: "file"; readonly text: string }
}

export interface ReplacedLine extends PolicyLine {
  /** A folder of the session's own, made when it is needed. */
  readonly from: string
}

export interface TempFolder {
  /** A folder of the session's own, outside. */
  readonly folder: string
  /** Whether it also lies at /tmp and /var/tmp inside. Otherwise those can be read as they are. */
  readonly asTmp: boolean
}

export type NetworkPolicy =
  /** There is only a loopback of its own. */
  | { readonly mode: "off"; readonly because: string }
  /** Through the proxy, which decides by host; `ask` when a person can be asked about a new one. */
  | {
      readonly mode: "domains"
      readonly allowed: readonly HostLine[]
      readonly denied: readonly HostLine[]
      readonly others: "ask" | "deny"
      /** Unix sockets that can be reached; all are forbidden when there are none. */
      readonly unixSockets: readonly PolicyLine[]
    }

export interface HostLine {
  /** `example.com`, `*.example.com`, `*`, an address, each with `:port` if only that port is meant. */
  readonly host: string
  readonly because: string
}

export interface Limits {
  /** Processes and threads at once. */
  readonly processes: number
  /** Of all processes of a command together. */
  readonly memoryBytes: number
}
