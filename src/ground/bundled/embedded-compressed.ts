/** Files that the executable carries compressed; see scripts/compressed-assets.ts. */

import { build } from "#lib/build.ts"
import { embeddedFile } from "./embedded.ts"

export interface CompressedFile {
  /** Of what is inside, so that what was unpacked before can be told apart. */
  readonly digest: string
  /** Throws if the executable is damaged. */
  readonly bytes: () => Promise<Uint8Array>
}

/** Undefined when run from source, or from an executable without this file. */
export function compressedFile(name: string): CompressedFile | undefined {
  const packed = embeddedFile(`${name}.zst`)
  const digest = build.assets?.[name]
  if (!packed || digest === undefined) return undefined
  return {
    digest,
    async bytes() {
      const bytes = await Bun.zstdDecompress(await packed.bytes())
      if (new Bun.CryptoHasher("sha256").update(bytes).digest("hex") !== digest)
        throw new Error(`${name} in ${process.execPath} is damaged. Reinstall Codewright.`)
      return bytes
    },
  }
}
