/** A Debian package: the program, its manual page, its license, and what a server of a team needs, which nothing starts by itself. */

import { readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { description } from "../../package.json"
import { ar, bytesOf, type Entry, tar } from "./archives.ts"
import type { Compress } from "./compress.ts"

const root = resolve(import.meta.dir, "../..")

export function debianPackage(
  architecture: string,
  version: string,
  program: Uint8Array,
  seconds: number,
  { gzip, zstd }: Compress,
): Uint8Array {
  const files: readonly Entry[] = [
    { path: "./usr/bin/codewright", link: "../lib/codewright/codewright" },
    { path: "./usr/lib/codewright/codewright", contents: program, mode: 0o755 },
    { path: "./usr/share/doc/codewright/copyright", contents: read("LICENSE") },
    { path: "./usr/share/doc/codewright/NOTICE", contents: read("NOTICE") },
    { path: "./usr/share/man/man1/codewright.1.gz", contents: gzip(read("docs/man/codewright.1")) },
    ...deployment(),
  ]
  const size = files.reduce((sum, { contents }) => sum + bytesOf(contents).length, 0)
  // The version of a release candidate comes before the release.
  const control = `Package: codewright
Version: ${version.replace("-", "~")}
Architecture: ${architecture}
Maintainer: The Codewright authors <codewright@localhost>
Installed-Size: ${Math.ceil(size / 1024)}
Depends: libc6
Recommends: git, bubblewrap
Section: devel
Priority: optional
Description: ${description}
`
  const sums = files.flatMap(({ path, contents, link }) =>
    link === undefined
      ? [`${new Bun.CryptoHasher("md5").update(bytesOf(contents)).digest("hex")}  ${path.slice(2)}\n`]
      : [],
  )
  return ar(
    [
      { path: "debian-binary", contents: "2.0\n" },
      {
        path: "control.tar.gz",
        contents: gzip(
          tar(
            [{ path: "./" }, { path: "./control", contents: control }, { path: "./md5sums", contents: sums.join("") }],
            seconds,
          ),
        ),
      },
      { path: "data.tar.zst", contents: zstd(tar(withFolders(files), seconds)) },
    ],
    seconds,
  )
}

const deployment = (): readonly Entry[] =>
  readdirSync(join(root, "deploy")).map((name) => {
    const folder = name.endsWith(".service") ? "./usr/lib/systemd/system" : "./usr/share/doc/codewright/deploy"
    return { path: `${folder}/${name}`, contents: read(`deploy/${name}`) }
  })

const read = (path: string): Uint8Array => readFileSync(join(root, path))

/** Each folder before what is in it. */
function withFolders(files: readonly Entry[]): readonly Entry[] {
  const folders = new Set(
    files.flatMap(({ path }) => {
      const parts = path.split("/").slice(0, -1)
      return parts.map((_, at) => `${parts.slice(0, at + 1).join("/")}/`)
    }),
  )
  return [...[...folders].map((path) => ({ path })), ...files].toSorted((a, b) => (a.path < b.path ? -1 : 1))
}
