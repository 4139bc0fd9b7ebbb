/** Bare programs, compiled as ours is: what the runtime and the machine cost by themselves. */

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

type Name = "hello" | "fetch" | "tool-server"

const sources: { readonly [name in Name]: string } = {
  hello: import.meta.resolve("./bare/hello.ts"),
  fetch: import.meta.resolve("./bare/fetch.ts"),
  "tool-server": import.meta.resolve("./bare/tool-server.ts"),
}

export interface BareProgram {
  readonly path: string
  readonly remove: () => void
}

export function compileBare(name: Name): BareProgram {
  const folder = mkdtempSync(join(tmpdir(), "codewright-bare-"))
  const path = join(folder, name)
  const { exitCode, stderr } = Bun.spawnSync(
    [
      process.execPath,
      "build",
      "--compile",
      "--bytecode",
      "--minify",
      "--format=esm",
      "--no-compile-autoload-dotenv",
      "--no-compile-autoload-bunfig",
      fileURLToPath(sources[name]),
      `--outfile=${path}`,
    ],
    { stdio: ["ignore", "ignore", "pipe"] },
  )
  if (exitCode !== 0) throw new Error(`The bare program ${name} could not be compiled.\n${stderr.toString()}`)
  return { path, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
