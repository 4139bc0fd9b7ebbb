/** A program that uses the library: it runs each module that it is told of in a line of its input, with the environment and folder said there. */

import { createInterface } from "node:readline"

interface Told {
  readonly module: string
  readonly cwd: string
  readonly env: { readonly [name: string]: string }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { module, cwd, env } = JSON.parse(line) as Told
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  process.chdir(cwd)
  try {
    await import(module)
  } catch (error) {
    process.stderr.write(`${String(error)}\n`)
  }
  process.stdout.write(`${JSON.stringify({ over: module })}\n`)
}
