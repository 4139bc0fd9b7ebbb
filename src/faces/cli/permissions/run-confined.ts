/** Runs a program in the sandbox with our own input and output, and waits for it. */

import { constants } from "node:os"
import { resolve } from "node:path"
import type { Confinable, Sandbox, Unconfinable, Wanted } from "#ground/sandbox/port.ts"

/** The exit code, or why it did not run. */
export async function runConfined(
  sandbox: Pick<Sandbox, "wrap">,
  { program, policy }: Pick<Wanted<Confinable>, "program" | "policy">,
): Promise<number | Unconfinable> {
  const absolute = { ...program, file: resolve(program.cwd, program.file) }
  const wrapped = await sandbox.wrap({ program: absolute, policy, needed: { reads: [], writes: [] } })
  if (!wrapped.ok) return wrapped.failure
  const { program: confined, started, finish } = wrapped.value
  // The terminal tells the program as well; we stay to clean up after it.
  const stay = (): void => {}
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const
  for (const signal of signals) process.on(signal, stay)
  try {
    const child = Bun.spawn([confined.file, ...confined.argv], {
      cwd: confined.cwd,
      env: confined.env,
      stdio: ["inherit", "inherit", "inherit"],
    })
    const code = await child.exited
    if (!started())
      return { why: "the sandbox could not be created", fix: "Run codewright doctor to see what is missing." }
    return child.signalCode === null ? code : 128 + numberOf(String(child.signalCode))
  } catch (error) {
    return { why: `the sandbox could not be started: ${String(error)}`, fix: "Run codewright doctor to see more." }
  } finally {
    for (const signal of signals) process.off(signal, stay)
    finish()
  }
}

const numberOf = (name: string): number => Object.entries(constants.signals).find(([known]) => known === name)?.[1] ?? 0
