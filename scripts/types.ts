/** `npm run build:types`: dist/types, declarations for programs that import this package, without the house's own `#` paths. Types are checked by `npm run check`. */

import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"

const root = resolve(import.meta.dir, "..")
const folder = join(root, "dist/types")
rmSync(folder, { recursive: true, force: true })
const { exitCode } = Bun.spawnSync(
  ["node", join(root, "node_modules/typescript/bin/tsc"), "-p", "tsconfig.types.json"],
  {
    cwd: root,
    stdin: "ignore",
    stdout: "inherit",
    stderr: "inherit",
  },
)
process.exitCode = exitCode
if (exitCode === 0)
  for (const name of new Bun.Glob("**/*.d.ts").scanSync({ cwd: folder })) {
    const file = join(folder, name)
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(/(["'])(#|\.\/)([\w./-]+)\.ts\1/g, near(dirname(name))))
  }

/** As other programs resolve them: by a path from the file that imports. */
function near(from: string): (found: string, quote: string, kind: string, to: string) => string {
  return (_, quote, kind, to) => {
    const path = kind === "#" ? relative(from, to) : to
    return `${quote}${path.startsWith(".") ? path : `./${path}`}.js${quote}`
  }
}
