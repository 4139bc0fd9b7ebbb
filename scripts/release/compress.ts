/** How releases are compressed: as small as possible, or at once for tests. */

export interface Compress {
  readonly gzip: (bytes: Uint8Array) => Uint8Array
  readonly zstd: (bytes: Uint8Array) => Uint8Array
}

export const compressing = (effort: "best" | "fast"): Compress => ({
  gzip: (bytes) => Bun.gzipSync(new Uint8Array(bytes), { library: "libdeflate", level: effort === "best" ? 12 : 1 }),
  zstd: (bytes) => Bun.zstdCompressSync(new Uint8Array(bytes), { level: effort === "best" ? 19 : 1 }),
})
