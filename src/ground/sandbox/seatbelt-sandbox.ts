/** Confines programs on macOS with the system's sandbox. There is no network inside, and nothing is reported. */

import { existsSync, mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { failed, ok, type Result } from "#lib/result.ts"
import { confinedEnvironment } from "./environment.ts"
import { kindOf, realFolder } from "./path-kind.ts"
import type { Policy } from "./policy.ts"
import type { SandboxCheck, Confinable, Confined, Sandbox, Unconfinable, Wanted } from "./port.ts"
import { seatbeltProfile } from "./seatbelt.ts"

export interface SeatbeltOptions {
  readonly folder: string
  readonly program?: string
}

export function openSeatbelt({ folder, program: seatbelt = "/usr/bin/sandbox-exec" }: SeatbeltOptions): Sandbox {
  let checking: Promise<SandboxCheck> | undefined

  async function wrap<P extends Confinable>({
    program,
    policy,
    needed,
  }: Wanted<P>): Promise<Result<Confined<P>, Unconfinable>> {
    if (!existsSync(seatbelt)) return failed(missing)
    try {
      mkdirSync(policy.temp.folder, { recursive: true, mode: 0o700 })
    } catch (error) {
      return failed({ why: `${policy.temp.folder} cannot be made: ${String(error)}`, fix: "Free some space." })
    }
    return ok({
      program: {
        ...program,
        file: seatbelt,
        argv: ["-p", seatbeltProfile({ policy, needed }, { kindOf, realFolder }), program.file, ...program.argv],
        // There are no mounts here, so its folder lies only where it lies.
        env: confinedEnvironment(program.env, { ...policy, temp: { ...policy.temp, asTmp: false } }),
      },
      violations: () => [],
      started: () => true,
      confirm: () => {},
      finish: () => {},
    })
  }

  async function probe(): Promise<SandboxCheck> {
    const trial = await wrap({ program: nothing, policy: trialPolicy(join(folder, "trial")), needed: noNeeds })
    if (!trial.ok) return { works: false, ...trial.failure }
    const { file, argv } = trial.value.program
    const child = Bun.spawn([file, ...argv], { cwd: "/", env: {}, stdio: ["ignore", "ignore", "pipe"] })
    const [code, said] = await Promise.all([child.exited, new Response(child.stderr).text()])
    if (code === 0) return { works: true, backend: "seatbelt", reports: false }
    return {
      works: false,
      why: `sandbox-exec does not work here: ${said.trim()}`,
      fix: "Run Codewright outside of other sandboxes.",
    }
  }

  return {
    async check(how) {
      checking = how === "again" ? probe() : (checking ??= probe())
      const found = await checking
      if (!found.works) checking = undefined
      return found
    },
    isUntried: () => false,
    wrap,
    async close() {
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const missing: Unconfinable = {
  why: "sandbox-exec, which is part of macOS, is not there",
  fix: "Repair the system, or turn the sandbox off.",
}

const nothing = { file: "/usr/bin/true", argv: [], cwd: "/", env: {} }
const noNeeds = { reads: [], writes: [] }

const trialPolicy = (folder: string): Policy => ({
  name: "reader",
  writes: [],
  held: [],
  hidden: [],
  temp: { folder, asTmp: false },
  network: { mode: "off", because: "a trial" },
  limits: { processes: 64, memoryBytes: 1 << 30 },
})
