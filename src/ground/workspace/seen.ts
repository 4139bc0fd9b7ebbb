/**
 * Encodes what is known about a file, and decodes it. Its text is not stored: if the file is unchanged, it is on disk.
 */

import type { SeenFile } from "#agent/words/seen.ts"
import { optional } from "#lib/optional.ts"
import type { Identity } from "./identity.ts"
import type { FileStamp, LineRange } from "./stamps.ts"

export const seenFile = (real: string, { identity, at, hash, shown }: FileStamp): SeenFile => ({
  path: real,
  state: [identity.device, identity.inode, identity.bytes, identity.modifiedNs, identity.changedNs].join(" "),
  at,
  ...optional("hash", hash?.toString(16)),
  ...optional(
    "shown",
    shown && { offset: shown.offset, ...optional("limit", shown.limit), ...optional("pages", shown.pages) },
  ),
})

/** Undefined when it is invalid. */
export function stampOfSeen({ state, at, hash, shown }: SeenFile): FileStamp | undefined {
  const identity = identityIn(state)
  if (!identity || (hash !== undefined && !/^[0-9a-f]{1,16}$/.test(hash))) return undefined
  const range: LineRange | undefined = shown && { offset: shown.offset, limit: shown.limit, pages: shown.pages }
  return { identity, at, hash: hash === undefined ? undefined : BigInt(`0x${hash}`), text: undefined, shown: range }
}

function identityIn(state: string): Identity | undefined {
  if (!/^\d{1,20}(?: \d{1,20}){4}$/.test(state)) return undefined
  const [device = 0n, inode = 0n, bytes = 0n, modifiedNs = 0n, changedNs = 0n] = state.split(" ").map(BigInt)
  return { device, inode, bytes: Number(bytes), modifiedNs, changedNs }
}
