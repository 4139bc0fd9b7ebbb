/** The platforms that releases are made for. */

export interface Target {
  /** As archives and packages name it. */
  readonly id: string
  readonly platform: "linux" | "darwin"
  readonly arch: "x64" | "arm64"
  readonly libc?: "glibc" | "musl"
  /** The npm package that holds its Bun. */
  readonly runtime: string
  /** What Debian calls the architecture. */
  readonly debian?: string
  /** Nobody has run it: it was only built, on another platform. */
  readonly neverRun?: true
}

/**
 * On Intel and AMD it is Bun's baseline runtime, which needs no AVX2: in 1.4.4 it is the same file as the usual one,
 * byte for byte, so a second package would only be a second download.
 */
export const targets: readonly Target[] = [
  {
    id: "linux-x64",
    platform: "linux",
    arch: "x64",
    libc: "glibc",
    runtime: "bun-linux-x64-baseline",
    debian: "amd64",
  },
  {
    id: "linux-arm64",
    platform: "linux",
    arch: "arm64",
    libc: "glibc",
    runtime: "bun-linux-aarch64",
    debian: "arm64",
    neverRun: true,
  },
  {
    id: "linux-x64-musl",
    platform: "linux",
    arch: "x64",
    libc: "musl",
    runtime: "bun-linux-x64-musl-baseline",
    neverRun: true,
  },
  {
    id: "linux-arm64-musl",
    platform: "linux",
    arch: "arm64",
    libc: "musl",
    runtime: "bun-linux-aarch64-musl",
    neverRun: true,
  },
  { id: "darwin-x64", platform: "darwin", arch: "x64", runtime: "bun-darwin-x64", neverRun: true },
  { id: "darwin-arm64", platform: "darwin", arch: "arm64", runtime: "bun-darwin-aarch64", neverRun: true },
]
