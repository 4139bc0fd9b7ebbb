/** How a session's commands are confined: by which policy, by what, and what happens when that fails. */

import { join } from "node:path"
import type { SharedNetworkOptions } from "#ground/sandbox/network/shared.ts"
import type { Policy } from "#ground/sandbox/policy.ts"
import type { SandboxCheck, Sandbox, Unconfinable } from "#ground/sandbox/port.ts"
import type { SandboxNetwork, SandboxTools } from "#ground/sandbox/sandbox.ts"
import { type Resolve, systemResolve } from "#ground/web/resolve.ts"
import type { ProcessFailure, Program } from "#ground/workspace/process-groups.ts"
import type { Enclose, Enclosed, EncloseWanted } from "#ground/workspace/shell.ts"
import { isLendable } from "#ground/settings/child-environment.ts"
import { machineReaderOf } from "#kits/sandbox/policy-of.ts"
import type { Clock } from "#lib/clock.ts"
import { given } from "#lib/given.ts"
import type { Ids } from "#lib/ids.ts"
import { onceFor } from "#lib/once-each.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { SessionPolicies } from "./policies.ts"
import { confinedBy, type EncloseProgram, openProgramWalls } from "./program-walls.ts"

export interface Walls {
  readonly enclose: Enclose
  readonly encloseProgram: EncloseProgram
  /** Whether it is known what can be confined here, so that a check costs nothing. */
  readonly isTried: () => boolean
  /** Loads the code, and does nothing else. */
  readonly load: () => Promise<unknown>
  /** Also checks, and looks around. */
  readonly warm: () => void
  /** Sets who is asked about hosts that no rule covers; until then they are refused. */
  readonly askAboutHosts: (ask: AskAboutHost) => void
  /** Whether anything can be confined here; checked once. */
  readonly check: () => Promise<SandboxCheck>
  readonly close: () => Promise<void>
}

export interface WallParts {
  readonly platform: string
  readonly ids: Ids
  readonly confine?: () => Promise<string | undefined>
  readonly resolve?: Resolve
  readonly bubblewrap?: readonly string[]
  /** Lives as long as this process. */
  readonly scratch: string
  /** Where all of the user's sessions note which placeholders they need. */
  readonly registry: string
  readonly policies: () => Promise<SessionPolicies>
  readonly enabled: boolean
  readonly clock: Clock
}

type AskAboutHost = SharedNetworkOptions["ask"]

export function openWalls(parts: WallParts): Walls {
  const {
    platform,
    ids,
    confine,
    scratch,
    registry,
    policies,
    enabled,
    clock,
    resolve = systemResolve,
    bubblewrap,
  } = parts
  const folder = join(scratch, "sandbox")
  let ask: AskAboutHost = async () => "deny"
  let opened: Promise<Sandbox> | undefined
  let isTried = (): boolean => false
  let warming: Promise<unknown> | undefined

  // Loaded with the first command: most sessions run none at startup.
  const sandbox = (): Promise<Sandbox> => (opened ??= open())

  async function open(): Promise<Sandbox> {
    if (platform === "darwin") return (await import("#ground/sandbox/seatbelt-sandbox.ts")).openSeatbelt({ folder })
    const { openSandbox } = await import("#ground/sandbox/sandbox.ts")
    const made = openSandbox({
      platform,
      ids,
      clock,
      registry,
      folder,
      network,
      diagnose: diagnoseHere,
      ...given("confine", confine),
      ...given("places", bubblewrap),
    })
    isTried = () => !made.isUntried()
    return made
  }

  async function diagnoseHere(said: string): Promise<Unconfinable> {
    return (await import("#ground/sandbox/diagnose.ts")).diagnoseHere(said)
  }

  async function network(tools: SandboxTools): Promise<SandboxNetwork> {
    const { openSharedNetwork } = await import("#ground/sandbox/network/shared.ts")
    const asking: AskAboutHost = (wish, signal) => ask(wish, signal)
    return openSharedNetwork({ folder: join(folder, "net"), clock, resolve, ask: asking }, tools)
  }

  let hasWorked = false
  const withoutTokens = onceFor(tokensRemoved)

  async function check(how?: "again"): Promise<SandboxCheck> {
    const found = await (await sandbox()).check(how)
    hasWorked ||= found.works
    return found
  }

  const seeingMachine = onceFor(machineReaderOf)

  async function policyFor(hold: "reader" | "machine reader" | "usual"): Promise<Policy> {
    if (hold === "usual") return (await (await policies()).now()).workspace
    const reader = await (await policies()).reader()
    return hold === "reader" ? reader : seeingMachine(reader)
  }

  async function enclose<P extends Program>(wanted: EncloseWanted<P>): Promise<Result<Enclosed<P>, ProcessFailure>> {
    const { program, hold, canRepeat } = wanted
    if (hold === "outside") return ok(unconfined(program, "it was allowed to run outside the sandbox"))
    if (hold === "usual" && !enabled) return ok(unconfined(program, "the sandbox is off"))
    // A command that only reads may run twice, so the first finds out by itself whether anything can be confined.
    const reads = hold !== "usual"
    if (reads && canRepeat && (await sandbox()).isUntried()) {
      const trial = await confined(wanted, await policyFor(hold), { backend: "bubblewrap", isTrial: true })
      if (trial.ok) return trial
    }
    const [found, policy] = await Promise.all([check(), policyFor(hold)])
    if (found.works) return confined(wanted, policy, found)
    const { why, fix } = found
    // Read-only commands may run unconfined if the sandbox never worked: they were judged with that in mind.
    return reads && !hasWorked ? ok(unconfined(program, why)) : failed({ kind: "unconfined", why, fix })
  }

  async function confined<P extends Program>(
    wanted: EncloseWanted<P>,
    policy: Policy,
    { backend, isTrial = false }: { readonly backend: "bubblewrap" | "seatbelt"; readonly isTrial?: boolean },
  ): Promise<Result<Enclosed<P>, ProcessFailure>> {
    const { begin } = await policies()
    const { program } = wanted
    const confinable = policy.name === "reader" ? { ...program, env: withoutTokens(program.env) } : program
    return confinedBy(await sandbox(), { ...wanted, program: confinable, policy, begin, isTrial }, backend)
  }

  return {
    enclose,
    encloseProgram: openProgramWalls({ sandbox, policies }),
    check: () => check(),
    isTried: () => isTried(),
    load: () => (platform === "linux" ? import("#ground/sandbox/sandbox.ts") : Promise.resolve()),
    // Any failure comes up again when a command asks.
    warm() {
      warming ??= Promise.all([check(), policyFor(enabled ? "usual" : "reader")]).catch(() => {})
    },
    askAboutHosts(asked) {
      ask = asked
    },
    async close() {
      // A trial makes folders, which would come back.
      await warming
      await (await opened)?.close()
    },
  }
}

/** Secrets others could use in the user's name: a read-only program does not need them, and could print them. */
const tokensRemoved = (env: Program["env"]): Program["env"] =>
  Object.fromEntries(Object.entries(env).filter(([name, value]) => gitsOwnKey.test(name) || !isLendable(name, value)))

const gitsOwnKey = /^GIT_CONFIG_KEY_\d+$/

const unconfined = <P extends Program>(program: P, because: string): Enclosed<P> => ({
  program,
  confinement: { by: "none", because },
  violations: () => [],
  failure: async () => undefined,
  isTrial: false,
  finish: () => {},
})
