/** The npm packages: one that is installed by name, with a loader, and one for each platform, of which npm installs the one that fits. */

import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { description, license } from "../../package.json"
import type { Entry } from "./archives.ts"
import type { Target } from "./targets.ts"

const root = resolve(import.meta.dir, "../..")

export const platformPackage = ({ id }: Target): string => `codewright-${id}`

/** It needs no step after installing: those are switched off in many places. */
export function loaderEntries(targets: readonly Target[], version: string): readonly Entry[] {
  const manifest = {
    name: "codewright",
    version,
    description,
    license,
    bin: { codewright: "bin/codewright.mjs", cw: "bin/codewright.mjs" },
    engines: { node: ">=18" },
    optionalDependencies: Object.fromEntries(targets.map((target) => [platformPackage(target), version])),
  }
  return inPackage(manifest, [
    { path: "bin/codewright.mjs", contents: readFileSync(join(import.meta.dir, "loader.mjs")), mode: 0o755 },
    { path: "README.md", contents: readFileSync(join(root, "README.md")) },
  ])
}

export function platformEntries(target: Target, program: Uint8Array, version: string): readonly Entry[] {
  const { id, platform, arch, libc, neverRun } = target
  const manifest = {
    name: platformPackage(target),
    version,
    description: `The program of codewright for ${id}.${neverRun ? " Built on another platform, never run." : ""}`,
    license,
    os: [platform],
    cpu: [arch],
    ...(libc && { libc: [libc] }),
    preferUnplugged: true,
  }
  return inPackage(manifest, [{ path: "bin/codewright", contents: program, mode: 0o755 }])
}

function inPackage(manifest: object, entries: readonly Entry[]): readonly Entry[] {
  return [
    { path: "package.json", contents: `${JSON.stringify(manifest, undefined, 2)}\n` },
    ...entries,
    { path: "LICENSE", contents: readFileSync(join(root, "LICENSE")) },
    { path: "NOTICE", contents: readFileSync(join(root, "NOTICE")) },
  ].map((entry) => ({ ...entry, path: `package/${entry.path}` }))
}
