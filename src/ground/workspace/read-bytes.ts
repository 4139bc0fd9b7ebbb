/** Reads from an opened file, off the main thread. */

import { read } from "node:fs"
import { promised } from "#lib/promised.ts"

/** Fills a buffer from `from` to its end with what is at offset `at` in the file; returns how many bytes there were. */
export const readBytes = (
  fd: number,
  into: Buffer,
  { from, at }: { readonly from: number; readonly at: number },
): Promise<number> => promised((done) => read(fd, into, from, into.length - from, at, done))
