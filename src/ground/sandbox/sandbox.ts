/** Shuts programs in where the system can: today, commands that may only read. */

import { existsSync } from "node:fs"
import { bubblewrapPaths, type Enclosable, readOnlyProgram, type ReadOnlyMounts } from "./bubblewrap.ts"

export interface Sandbox {
  /**
   * The program with the disk mounted read-only, where that works here; otherwise as it is. What this is used for has
   * been judged to only read already, so this is a second wall and not the first.
   */
  readonly readOnly: <P extends Enclosable>(program: P, needed: readonly string[]) => Promise<P>
  /** Whether programs can be shut in here; found out once, when it is first asked. */
  readonly works: () => Promise<boolean>
}

export interface SandboxOptions {
  readonly platform: string
  /** Asked for every program: folders may be added meanwhile. */
  readonly mounts: () => Omit<ReadOnlyMounts, "needed">
  /** Where bubblewrap is looked for; the usual places when absent. */
  readonly places?: readonly string[]
}

export function openSandbox({ platform, mounts, places = bubblewrapPaths }: SandboxOptions): Sandbox {
  let probing: Promise<string | undefined> | undefined

  async function probe(): Promise<string | undefined> {
    const bwrap = platform === "linux" ? places.find((path) => existsSync(path)) : undefined
    if (bwrap === undefined) return undefined
    // In many containers it is there but the kernel does not let it make namespaces.
    const trial = readOnlyProgram(bwrap, { file: "/bin/true", argv: [], cwd: "/" }, { ...mounts(), needed: [] })
    try {
      const child = Bun.spawn([trial.file, ...trial.argv], { cwd: "/", stdio: ["ignore", "ignore", "ignore"], env: {} })
      return (await child.exited) === 0 ? bwrap : undefined
    } catch {
      return undefined
    }
  }

  const found = (): Promise<string | undefined> => (probing ??= probe())

  return {
    works: async () => (await found()) !== undefined,
    async readOnly(program, needed) {
      const bwrap = await found()
      return bwrap === undefined ? program : readOnlyProgram(bwrap, program, { ...mounts(), needed })
    },
  }
}
