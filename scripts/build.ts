/** `npm run build`: dist/codewright, for this machine. `--entry=<file>` makes another program with the same things on board. */

import { resolve } from "node:path"
import { commitHere, makeExecutable } from "./executable.ts"

const { platform, arch } = process
const flags = process.argv.slice(2)
const entry = flags.find((flag) => flag.startsWith("--entry="))

process.exitCode = await makeExecutable({
  outfile: "dist/codewright",
  platform,
  arch,
  about: { ...commitHere(), target: `${platform}-${arch}` },
  ripgrep: resolve(import.meta.dir, `../node_modules/@vscode/ripgrep-${platform}-${arch}/bin/rg`),
  flags: flags.filter((flag) => flag !== entry),
  ...(entry !== undefined && { entry: entry.slice("--entry=".length) }),
})
