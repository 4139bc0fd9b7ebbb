/** `npm run reference`: writes docs/reference from the tables in the code. A test fails when they part ways. */

import { mkdirSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { referencePages } from "./reference-pages.ts"

const folder = resolve(import.meta.dir, "../docs/reference")
mkdirSync(folder, { recursive: true })
for (const [name, text] of Object.entries(await referencePages())) writeFileSync(join(folder, name), text)
