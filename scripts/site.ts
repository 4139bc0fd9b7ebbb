/** `npm run site [-- folder]`: makes the site from the guides, in dist/site unless a folder is named. Open its index.html. */

import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { buildSite } from "./site/pages.ts"

const root = resolve(import.meta.dir, "..")
const folder = resolve(process.argv[2] ?? join(root, "dist", "site"))

const site = buildSite()
if (process.argv[2] === undefined) rmSync(folder, { recursive: true, force: true })
for (const [path, file] of site) {
  const to = join(folder, path)
  mkdirSync(dirname(to), { recursive: true })
  if ("copy" in file) copyFileSync(join(root, file.copy), to)
  else writeFileSync(to, file.text)
}
console.log(`${site.size} files. Open ${join(folder, "index.html")}`)
