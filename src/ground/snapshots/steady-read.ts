/** Reads one consistent state of a file: no link is followed, and a file that changes in the meantime is read again. */

import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs"
import type { Clock } from "#lib/clock.ts"
import { codeOf } from "#lib/error-code.ts"
import { isSameStamp, permissions, type Stamp, stampOf } from "./state.ts"

export type SteadyRead =
  | { readonly kind: "read"; readonly bytes: Uint8Array; readonly mode: number; readonly stamp: Stamp }
  | { readonly kind: "gone" }
  | { readonly kind: "unreadable"; readonly why: string }

const tries = 3

export function readSteady(path: string, most: number, clock: Clock): SteadyRead {
  for (let attempt = 0; attempt < tries; attempt++) {
    const read = readOnce(path, most, clock)
    if (read !== "changed") return read
  }
  return { kind: "unreadable", why: "it kept changing while it was read" }
}

function readOnce(path: string, most: number, clock: Clock): SteadyRead | "changed" {
  let fd: number | undefined
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const before = fstatSync(fd)
    const stamp = stampOf(before, clock.now())
    if (!before.isFile()) return "changed"
    if (before.size > most) return { kind: "unreadable", why: tooLarge(before.size) }
    const bytes = new Uint8Array(before.size)
    let length = 0
    while (length < bytes.length) {
      const got = readSync(fd, bytes, length, bytes.length - length, null)
      if (got === 0) return "changed"
      length += got
    }
    if (!isSameStamp(stampOf(fstatSync(fd), 0), stamp)) return "changed"
    return { kind: "read", bytes, mode: permissions(before.mode), stamp }
  } catch (error) {
    const code = codeOf(error)
    if (code === "ENOENT" || code === "ENOTDIR") return { kind: "gone" }
    // A link has taken its place since it was looked at.
    if (code === "ELOOP") return "changed"
    return { kind: "unreadable", why: code === "EACCES" ? "it may not be read" : `it cannot be read (${code})` }
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

export const tooLarge = (bytes: number): string => `it is too large (${Math.ceil(bytes / 1_000_000)} MB)`
