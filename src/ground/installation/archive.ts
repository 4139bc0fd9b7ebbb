/** The program inside a release's archive. */

import { failed, ok, type Result } from "#lib/result.ts"

const block = 512

/** `archive`: a tar file compressed with zstd; only the program is taken from it. */
export async function programIn(archive: Uint8Array): Promise<Result<Uint8Array, string>> {
  const tar = await Bun.zstdDecompress(archive)
  for (let at = 0; at + block <= tar.length && tar[at] !== 0;) {
    const name = tar.toString("utf8", at, at + 100).split("\0", 1)[0] ?? ""
    const size = Number.parseInt(tar.toString("latin1", at + 124, at + 135), 8)
    if (!Number.isSafeInteger(size)) break
    if (name.endsWith("/codewright") && String.fromCharCode(tar[at + 156] ?? 0) === "0")
      return ok(tar.subarray(at + block, at + block + size))
    at += block + Math.ceil(size / block) * block
  }
  return failed("The archive has no program in it. Nothing was changed.")
}
