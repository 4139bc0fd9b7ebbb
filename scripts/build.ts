/** `npm run build`: one file, dist/codewright, that needs nothing else on the machine. */

import { resolve } from "node:path"
import { packDocuments } from "./documents.ts"
import { databaseAssets } from "./empty-database.ts"
import { howToBuild } from "./how-to-build.ts"

const root = resolve(import.meta.dir, "..")

using documents = await packDocuments()
const { exitCode } = Bun.spawnSync(
  [
    process.execPath,
    ...howToBuild,
    // What the program brings along: see src/ground/bundled.
    `--asset=node_modules/@vscode/ripgrep-${process.platform}-${process.arch}/bin/rg`,
    "--asset=sample",
    "--asset=src/ground/models/model-table.jsonl",
    `--asset=${documents.path}`,
    ...(process.platform === "linux" ? [`--asset=src/ground/sandbox/confine/confine-${process.arch}`] : []),
    ...(await databaseAssets()),
    "src/main.ts",
    "--outfile=dist/codewright",
    ...process.argv.slice(2),
  ],
  { cwd: root, stdin: "ignore", stdout: "inherit", stderr: "inherit" },
)
process.exitCode = exitCode
