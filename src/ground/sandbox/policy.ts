/** What a confined program may touch and reach, each line with its reason: one value, whatever enforces it. See decision 53. */

export interface Policy {
  /** Shown in the log and on the screen. */
  readonly name: "reader" | "edits" | "workspace"
  /** Writable, including everything below. Everything else is read-only. */
  readonly writes: readonly PolicyLine[]
  /** Read-only although inside something writable. */
  readonly held: readonly ReadOnlyLine[]
  /** Not even readable. */
  readonly hidden: readonly PolicyLine[]
  /** Readable although inside something hidden. */
  readonly shown?: readonly ShownLine[]
  /** Covered by another folder, so that programs write there instead. */
  readonly replaced?: readonly ReplacedLine[]
  /** Variables removed from the environment, by name; `*` matches any characters. */
  readonly withoutVariables?: { readonly names: readonly string[]; readonly except: readonly string[] }
  /** Handed in as sentinels: worthless values that our proxy exchanges for the real ones on the way to their hosts. */
  readonly credentials?: readonly CredentialLine[]
  readonly temp: TempFolder
  readonly network: NetworkPolicy
  readonly limits: ProcessLimits
  /**
   * The processes, sockets and interfaces of the machine can be seen, as outside. Nobody can be reached or touched: no
   * connection, no signal, no tracing. Only with `network` off. The limits then apply to each process alone.
   */
  readonly machine?: true
}

export interface PolicyLine {
  /** Absolute, with links resolved as far as it exists. */
  readonly path: string
  /**
   * Why, in a few words for the user: `the working folder`, `sandbox.filesystem.allowWrite in
   * ~/.codewright/settings.json`.
   */
  readonly because: string
}

export interface ReadOnlyLine extends PolicyLine {
  /**
   * What exists at the path while a command runs, if nothing is there: an empty folder, or a file with meaningless
   * content. Without it a path that does not exist is not held.
   */
  readonly placeholder?: { readonly kind: "folder" } | { readonly kind: "file"; readonly text: string }
}

export interface ShownLine extends PolicyLine {
  /** What is there inside, if a link leads from the path to it outside. */
  readonly from?: string
}

export interface ReplacedLine extends PolicyLine {
  readonly from: string
}

/** Says where a credential is and where it belongs; its value is read when a program is confined, and never kept here. */
export interface CredentialLine {
  readonly from:
    | { readonly kind: "variable"; readonly name: string }
    | { readonly kind: "file"; readonly path: string; readonly format: CredentialFormat }
  /**
   * `example.com` or `*.example.com`, port 443 unless another follows. Absent if the file says itself where each of
   * its secrets belongs.
   */
  readonly hosts?: readonly string[]
  readonly because: string
}

/** How a file with secrets is written; `whole` if it contains one secret and nothing else. */
export type CredentialFormat = "npmrc" | "netrc" | "git-credentials" | "gh" | "pypirc" | "cargo" | "whole"

export interface TempFolder {
  readonly folder: string
  /** Whether it is also at /tmp and /var/tmp inside. Otherwise those are readable as they are. */
  readonly asTmp: boolean
}

export type NetworkPolicy =
  /** Only a private loopback, which the readers of a session share. */
  | { readonly mode: "off"; readonly because: string }
  /** Through the proxy, which decides by host; `ask` when the user can be asked about a new one. */
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

export interface ProcessLimits {
  /** Processes and threads at once. */
  readonly processes: number
  /** Total of all processes of a command. */
  readonly memoryBytes: number
}
