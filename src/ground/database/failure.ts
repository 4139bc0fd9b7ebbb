/** Why a database cannot be opened, and what to do about it. */

import { never } from "#lib/never.ts"

export type DatabaseFailure =
  /** The embedded database belongs to one process. */
  | { readonly kind: "in_use"; readonly folder: string; readonly pid: number | undefined }
  | { readonly kind: "unusable_folder"; readonly folder: string; readonly message: string }
  | { readonly kind: "bad_url"; readonly message: string }
  | { readonly kind: "unreachable"; readonly server: string; readonly message: string }

export function databaseFailureWords(failure: DatabaseFailure): string {
  switch (failure.kind) {
    case "in_use": {
      const who = failure.pid === undefined ? "another process" : `process ${failure.pid}`
      return `The database in ${failure.folder} is in use by ${who}. Stop that process first, or use --database postgres://… to share one.`
    }
    case "unusable_folder":
      return `The database in ${failure.folder} cannot be opened (${failure.message}). Check that the folder is writable and the disk is not full.`
    case "bad_url":
      return `${failure.message} Write it as postgres://user:<password>@host:5432/name.`
    case "unreachable":
      return `The database on ${failure.server} cannot be reached (${failure.message}). Check that the server runs and accepts this user.`
    default:
      return never(failure)
  }
}
