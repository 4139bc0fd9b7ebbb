/** Starting other programs: one that takes our place, or one that we listen to. Always a list of arguments, never a shell. */

import { spawn } from "node:child_process"
import { createInterface } from "node:readline"

/** Runs a program in our place: its terminal is ours, signals go to it, and we end as it ended. */
export async function passOn([command, ...args], { cwd, env = process.env }) {
  const child = spawn(command, args, { cwd, env, stdio: "inherit" })
  // A terminal sends Ctrl+C to the whole group, so the program has it already and decides for itself.
  process.on("SIGINT", () => {})
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal))
  const { code, signal } = await ended(child)
  if (signal) {
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  }
  process.exitCode = code ?? 1
}

/** Runs a program without input and gives its exit code and everything it said; `onLine` hears each line at once. */
export async function listen([command, ...args], { cwd, env = process.env, onLine = () => {} }) {
  const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] })
  const said = []
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on("line", (line) => {
      said.push(line)
      onLine(line)
    })
  const { code } = await ended(child)
  return { code: code ?? 1, output: `${said.join("\n")}\n` }
}

function ended(child) {
  return new Promise((resolve, reject) => {
    child.on("error", reject)
    child.on("close", (code, signal) => resolve({ code, signal }))
  })
}
