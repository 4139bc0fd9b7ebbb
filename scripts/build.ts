/** `npm run build`: one file, dist/codewright, that needs nothing else on the machine. */

import { resolve } from "node:path"

const root = resolve(import.meta.dir, "..")

const { exitCode } = Bun.spawnSync(
  [
    process.execPath,
    "build",
    "--compile",
    "--bytecode",
    "--minify",
    "--splitting",
    "--format=esm",
    // A repository one works in must not be able to change the program by a file in it.
    "--no-compile-autoload-dotenv",
    "--no-compile-autoload-bunfig",
    // What the program brings along: see src/ground/bundled.
    `--asset=node_modules/@vscode/ripgrep-${process.platform}-${process.arch}/bin/rg`,
    "--asset=sample",
    ...(process.platform === "linux" ? [`--asset=src/ground/sandbox/confine/confine-${process.arch}`] : []),
    "src/main.ts",
    "--outfile=dist/codewright",
    ...process.argv.slice(2),
  ],
  { cwd: root, stdin: "ignore", stdout: "inherit", stderr: "inherit" },
)
process.exitCode = exitCode
