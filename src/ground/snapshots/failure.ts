/** What can go wrong with snapshots, as a union, with a message for each case. */

import { never } from "#lib/never.ts"
import { codeOf } from "#lib/error-code.ts"

export type SnapshotFailure =
  | { readonly kind: "no_space"; readonly path: string }
  /** The store has reached its own cap. */
  | { readonly kind: "store_full"; readonly bytes: number; readonly cap: number }
  | { readonly kind: "no_permission"; readonly path: string }
  /** The snapshot, or a part of it, is no longer in the store. */
  | { readonly kind: "missing"; readonly id: string }
  | { readonly kind: "damaged"; readonly path: string }
  | { readonly kind: "aborted" }
  | { readonly kind: "other"; readonly message: string }

export function sayFailure(failure: SnapshotFailure): string {
  switch (failure.kind) {
    case "no_space":
      return `there is no space left on the disk (${failure.path})`
    case "store_full":
      return `the store of snapshots is full (${megabytes(failure.bytes)} of ${megabytes(failure.cap)})`
    case "no_permission":
      return `the system does not permit to use ${failure.path}`
    case "missing":
      return `the store of snapshots no longer holds ${failure.id}`
    case "damaged":
      return `${failure.path} is damaged`
    case "aborted":
      return "it was interrupted"
    case "other":
      return failure.message
    default:
      return never(failure)
  }
}

export function failureOf(error: unknown, path: string): SnapshotFailure {
  const code = codeOf(error)
  if (code === "ENOSPC" || code === "EDQUOT") return { kind: "no_space", path }
  if (code === "EACCES" || code === "EPERM" || code === "EROFS") return { kind: "no_permission", path }
  return { kind: "other", message: error instanceof Error ? error.message : String(error) }
}

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1_000_000)} MB`
