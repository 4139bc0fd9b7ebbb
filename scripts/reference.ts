/** `npm run reference`: writes docs/reference and docs/man from the tables in the code, the index of decisions and NOTICE. A test fails when they differ. */

import { mkdirSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { commands } from "#faces/cli/commands.ts"
import { manPage } from "#faces/cli/help/man-page.ts"
import { decisionFiles, decisionsIndex } from "./decisions.ts"
import { noticeText } from "./notice.ts"
import { referencePages } from "./reference-pages.ts"

const root = resolve(import.meta.dir, "..")
const folder = join(root, "docs/reference")
mkdirSync(folder, { recursive: true })
for (const [name, text] of Object.entries(await referencePages())) writeFileSync(join(folder, name), text)
mkdirSync(join(root, "docs/man"), { recursive: true })
writeFileSync(join(root, "docs/man/codewright.1"), await manPage(commands))
writeFileSync(join(root, "docs/decisions/README.md"), decisionsIndex(decisionFiles(root)))
writeFileSync(join(root, "NOTICE"), await noticeText(root))
