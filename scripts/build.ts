/** `npm run build`: dist/codewright, for this machine. */

import { resolve } from "node:path"
import { commitHere, makeExecutable } from "./executable.ts"

const { platform, arch } = process

process.exitCode = await makeExecutable({
  outfile: "dist/codewright",
  platform,
  arch,
  about: { ...commitHere(), target: `${platform}-${arch}` },
  ripgrep: resolve(import.meta.dir, `../node_modules/@vscode/ripgrep-${platform}-${arch}/bin/rg`),
  flags: process.argv.slice(2),
})
