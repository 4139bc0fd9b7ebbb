/** NOTICE: what an executable carries from others, found by bundling it, with the licenses in node_modules. */

import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

interface Package {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly text: string
}

/** What comes as files beside the bundle (scripts/build.ts), or inside a package, and has a license of its own. */
const carried = `Bun {bun}: the runtime, which is most of the executable
    MIT. https://github.com/oven-sh/bun
    It links JavaScriptCore, WebKit and tinycc (LGPL-2.0 and LGPL-2.1; sources: https://github.com/oven-sh/WebKit) and
    further libraries, each with its license in https://github.com/oven-sh/bun/blob/main/LICENSE.md.

ripgrep, as packaged by @vscode/ripgrep {@vscode/ripgrep}: the file search
    MIT or Unlicense. Copyright (c) 2015 Andrew Gallant. https://github.com/BurntSushi/ripgrep
    It links PCRE2 (BSD-3-Clause WITH PCRE2-exception). https://github.com/PCRE2Project/pcre2

PostgreSQL, as compiled by @electric-sql/pglite {@electric-sql/pglite}: the embedded database of \`codewright serve\`
    PostgreSQL License (at the end). https://www.postgresql.org

PDF.js, as bundled by unpdf {unpdf}: text of PDF files
    Apache-2.0 (with @electric-sql/pglite below). Copyright Mozilla Foundation. https://github.com/mozilla/pdf.js`

const postgresLicense = `PostgreSQL Database Management System
(also known as Postgres, formerly known as Postgres95)

Portions Copyright (c) 1996-2025, PostgreSQL Global Development Group

Portions Copyright (c) 1994, The Regents of the University of California

Permission to use, copy, modify, and distribute this software and its
documentation for any purpose, without fee, and without a written agreement
is hereby granted, provided that the above copyright notice and this
paragraph and the following two paragraphs appear in all copies.

IN NO EVENT SHALL THE UNIVERSITY OF CALIFORNIA BE LIABLE TO ANY PARTY FOR
DIRECT, INDIRECT, SPECIAL, INCIDENTAL, OR CONSEQUENTIAL DAMAGES, INCLUDING
LOST PROFITS, ARISING OUT OF THE USE OF THIS SOFTWARE AND ITS
DOCUMENTATION, EVEN IF THE UNIVERSITY OF CALIFORNIA HAS BEEN ADVISED OF THE
POSSIBILITY OF SUCH DAMAGE.

THE UNIVERSITY OF CALIFORNIA SPECIFICALLY DISCLAIMS ANY WARRANTIES,
INCLUDING, BUT NOT LIMITED TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY
AND FITNESS FOR A PARTICULAR PURPOSE.  THE SOFTWARE PROVIDED HEREUNDER IS
ON AN "AS IS" BASIS, AND THE UNIVERSITY OF CALIFORNIA HAS NO OBLIGATIONS TO
PROVIDE MAINTENANCE, SUPPORT, UPDATES, ENHANCEMENTS, OR MODIFICATIONS.`

const rule = `\n\n${"-".repeat(80)}\n\n`

export async function noticeText(root: string): Promise<string> {
  const packages = (await bundledFolders(root))
    .map(readPackage)
    .sort((a, b) => titleOf(a).localeCompare(titleOf(b), "en"))
  const byText = Map.groupBy(packages, ({ text }) => text)
  return [
    "Codewright's executable contains software of others. Made by `npm run reference`; do not edit.",
    carried.replace(/\{([^}]+)\}/g, (_, name: string) => readPackage(join(root, "node_modules", name)).version),
    `Packages in the bundle:\n\n${packages.map((one) => `${titleOf(one)}: ${one.license}`).join("\n")}`,
    ...[...byText].map(([text, those]) => `${those.map(titleOf).join(", ")}\n\n${text}`),
    `PostgreSQL\n\n${postgresLicense}`,
  ]
    .join(rule)
    .concat("\n")
}

const titleOf = ({ name, version }: Package): string => `${name} ${version}`

/** The packages of which the bundle has files, by their folders. */
async function bundledFolders(root: string): Promise<readonly string[]> {
  const { metafile } = await Bun.build({
    entrypoints: [join(root, "src/main.ts")],
    root,
    target: "bun",
    format: "esm",
    splitting: true,
    metafile: true,
    define: { "process.env.NODE_ENV": '"production"' },
  })
  if (!metafile) throw new Error("The bundler says nothing of what it bundled.")
  const names = Object.keys(metafile.inputs).map(
    (path) => /node_modules\/((?:.*node_modules\/)?(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1],
  )
  return [...new Set(names)].flatMap((name) => (name === undefined ? [] : join(root, "node_modules", name)))
}

function readPackage(folder: string): Package {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Package
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one))
  const text =
    file === undefined ? `License: ${license}` : readFileSync(join(folder, file), "utf8").replaceAll("\r", "").trim()
  return { name, version, license, text }
}
