/** What can go wrong with a file, as a union, with a message for the model that says what to do. */

import { never } from "#lib/never.ts"

export type FileFailure =
  | { readonly kind: "bad_path"; readonly path: string; readonly why: string }
  | { readonly kind: "not_found"; readonly path: string; readonly near: readonly string[] }
  | { readonly kind: "is_folder"; readonly path: string }
  | { readonly kind: "not_folder"; readonly path: string }
  | { readonly kind: "not_file"; readonly path: string; readonly what: string }
  | { readonly kind: "no_permission"; readonly path: string; readonly access: FileAccess }
  | { readonly kind: "read_only_file"; readonly path: string }
  | { readonly kind: "read_only_disk"; readonly path: string }
  | { readonly kind: "too_large"; readonly path: string; readonly bytes: number; readonly limit: number }
  | { readonly kind: "binary"; readonly path: string }
  | { readonly kind: "not_encodable"; readonly path: string; readonly encoding: string; readonly character: string }
  | { readonly kind: "not_read"; readonly path: string }
  /** The file has changed since it was read; `difference` is what changed, if known. */
  | { readonly kind: "changed"; readonly path: string; readonly difference?: string }
  /** The path leads elsewhere than when the call was judged. */
  | { readonly kind: "moved"; readonly path: string }
  | { readonly kind: "no_space"; readonly path: string }
  /** No more files can be open at once. */
  | { readonly kind: "too_many_open"; readonly path: string }
  | { readonly kind: "aborted"; readonly path: string }
  | { readonly kind: "other"; readonly path: string; readonly message: string }

export type FileAccess = "read" | "write"

export function say(failure: FileFailure): string {
  const { path } = failure
  switch (failure.kind) {
    case "bad_path":
      return `The path ${JSON.stringify(path)} cannot be used: ${failure.why}.`
    case "not_found":
      return `${path} does not exist.${suggestion(failure.near)}`
    case "is_folder":
      return `${path} is a folder, not a file. Use Glob with \`${path}/*\` to see what is in it.`
    case "not_folder":
      return `${path} cannot exist: a part of that path is a file, not a folder. Check the path with Glob.`
    case "not_file":
      return `${path} is ${failure.what}, not a regular file, and is not opened. Name a regular file.`
    case "no_permission":
      return `The system does not permit to ${failure.access} ${path}. Ask the user to change its permissions, or leave it.`
    case "read_only_file":
      return `${path} is marked read-only. If it is meant to be changed, make it writable first (chmod u+w) or ask the user.`
    case "read_only_disk":
      return `${path} is on a disk that is mounted read-only. Write somewhere else or ask the user.`
    case "too_large":
      return `${path} is too large for this: ${megabytes(failure.bytes)}, the limit is ${megabytes(failure.limit)}. Work on a part of it, or use a program through Bash.`
    case "binary":
      return `${path} is a binary file and cannot be shown or edited as text. Inspect it with a program through Bash (file, xxd, strings).`
    case "not_encodable":
      return `${path} is encoded as ${failure.encoding}, which has no ${JSON.stringify(failure.character)}. Use other characters, or ask the user whether to convert the file to UTF-8.`
    case "not_read":
      return `${path} exists but was not read in this conversation. Read it first, then repeat the call.`
    case "changed":
      return `${path} changed on disk after it was read, by the user, a program or another agent. Read it again, then repeat the call on what is there now.${failure.difference === undefined ? "" : `\nWhat changed since:\n${failure.difference}`}`
    case "moved":
      return `${path} leads somewhere else than when this call was checked (a link on the way changed). Nothing was touched; repeat the call to have it checked again.`
    case "no_space":
      return `There is no space left on the disk for ${path}. The file is as it was. Free some space or ask the user.`
    case "too_many_open":
      return `${path} was not opened: ${tooManyOpenWords}`
    case "aborted":
      return `Interrupted before ${path} was done.`
    case "other":
      return `${path}: ${failure.message}`
    default:
      return never(failure)
  }
}

/** For the model. */
export const tooManyOpenWords =
  "the system lets this program have no more files open at once. Make fewer calls at a time; if it stays like this, ask the user to raise the limit (`ulimit -n`)."

/** In a few words, for the screen: the title of the call already names the file. */
export function brief(failure: FileFailure): string {
  switch (failure.kind) {
    case "bad_path":
      return `Not a usable path: ${failure.why}`
    case "not_found":
      return "File not found"
    case "is_folder":
      return "Is a folder, not a file"
    case "not_folder":
      return "Part of the path is a file, not a folder"
    case "not_file":
      return `Is ${failure.what}, not a regular file`
    case "no_permission":
      return `No permission to ${failure.access} the file`
    case "read_only_file":
      return "The file is read-only"
    case "read_only_disk":
      return "The disk is mounted read-only"
    case "too_large":
      return `Too large: ${megabytes(failure.bytes)}, the limit is ${megabytes(failure.limit)}`
    case "binary":
      return "Is a binary file"
    case "not_encodable":
      return `The file's encoding, ${failure.encoding}, has no ${JSON.stringify(failure.character)}`
    case "not_read":
      return "The file was not read yet"
    case "changed":
      return "The file changed on disk since it was read"
    case "moved":
      return "The path leads elsewhere than when the call was checked"
    case "no_space":
      return "No space left on the disk"
    case "too_many_open":
      return "Too many files are open"
    case "aborted":
      return "Interrupted"
    case "other":
      return failure.message
    default:
      return never(failure)
  }
}

/** `near` is only called when the file is missing. */
export function failureOf(
  error: unknown,
  path: string,
  access: FileAccess,
  near: () => readonly string[] = () => [],
): FileFailure {
  const code = errorCode(error)
  switch (code) {
    case "ENOENT":
      return { kind: "not_found", path, near: near() }
    case "EISDIR":
      return { kind: "is_folder", path }
    case "ENOTDIR":
    case "EEXIST":
      return { kind: "not_folder", path }
    case "EACCES":
    case "EPERM":
      return { kind: "no_permission", path, access }
    case "EROFS":
      return { kind: "read_only_disk", path }
    case "ENOSPC":
    case "EDQUOT":
      return { kind: "no_space", path }
    case "EMFILE":
    case "ENFILE":
      return { kind: "too_many_open", path }
    case "ENXIO":
      return { kind: "not_file", path, what: "a socket or pipe" }
    case "ELOOP":
      return { kind: "bad_path", path, why: "its links lead in a circle, or it was replaced by a link" }
    case "ENAMETOOLONG":
      return { kind: "bad_path", path, why: "it is too long for the file system" }
    default:
      return { kind: "other", path, message: error instanceof Error ? error.message : String(error) }
  }
}

/** Such as `ENOENT`. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined
  return typeof error.code === "string" ? error.code : undefined
}

function suggestion(near: readonly string[]): string {
  if (near.length === 0) return " Find the right path with Glob."
  return ` Did you mean ${near.join(" or ")}?`
}

function megabytes(bytes: number): string {
  if (bytes < 1_000_000) return `${Math.max(1, Math.round(bytes / 1000))} kB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}
