/** How releases are compressed: as small as possible, or at once for tests. */

import type { Target } from "./targets.ts"

export interface Compress {
  readonly gzip: (bytes: Uint8Array) => Uint8Array
  readonly zstd: (bytes: Uint8Array) => Uint8Array
  /** Needs the program `xz`, whose version decides the bytes. */
  readonly xz: (bytes: Uint8Array, arch: Target["arch"]) => Uint8Array
}

export const compressing = (effort: "best" | "fast"): Compress => ({
  gzip: (bytes) => Bun.gzipSync(new Uint8Array(bytes), { library: "libdeflate", level: effort === "best" ? 12 : 1 }),
  zstd: (bytes) => Bun.zstdCompressSync(new Uint8Array(bytes), { level: effort === "best" ? 22 : 1 }),
  xz(bytes, arch) {
    // Addresses in Intel code repeat more once they are absolute; the filter for ARM is too new for many programs.
    const filters = effort === "fast" ? ["-0"] : [...(arch === "x64" ? ["--x86"] : []), "--lzma2=preset=9"]
    const { exitCode, stdout, stderr } = Bun.spawnSync(["xz", "--threads=1", ...filters, "--stdout"], { stdin: bytes })
    if (exitCode !== 0) throw new Error(`xz failed (${exitCode}): ${stderr.toString()}`)
    return stdout
  },
})
