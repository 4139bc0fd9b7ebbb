/** `codewright docs`: the guides and reference pages, also for somebody who has only the executable. */

import { type BundledDocument, bundledDocuments } from "#ground/bundled/documents.ts"
import { nearNames } from "#lib/near.ts"
import { asksForHelp, type CommandHelp, commandHelp } from "./command-help.ts"
import { helpRows } from "./help-rows.ts"
import type { Io } from "#faces/cli/io.ts"

export const help: CommandHelp = {
  usage: ["codewright docs [page]"],
  about: "Prints a guide or a reference page of this version, in Markdown. Without a page, lists them all.",
  examples: ["codewright docs permissions", "codewright docs settings | less"],
}

export async function docsCommand(argv: readonly string[], io: Io): Promise<number> {
  if (asksForHelp(argv)) {
    io.write(commandHelp(help))
    return 0
  }
  const [asked, ...more] = argv
  if (more.length > 0 || asked?.startsWith("-"))
    return io.fail("docs takes one name, such as: codewright docs permissions")
  const documents = await bundledDocuments()
  if (asked === undefined) {
    io.write(
      `${helpRows(documents.map(({ name, title }) => [name, title]))}\nRun codewright docs <page> to read one.\n`,
    )
    return 0
  }
  const found = documents.find(({ name }) => name === nameIn(asked))
  if (!found) return io.fail(unknown(asked, documents))
  io.say(found.text.replace(/^<!--.*-->\n+/, ""))
  return 0
}

/** Documents name each other by path, as in `../reference/keys.md` or `SECURITY.md#limits`. */
function nameIn(asked: string): string {
  const file = asked.replace(/#.*$/, "").split("/").at(-1) ?? ""
  return file.replace(/\.md$/i, "").toLowerCase()
}

function unknown(asked: string, documents: readonly BundledDocument[]): string {
  const [near] = nearNames(
    nameIn(asked),
    documents.map(({ name }) => name),
    1,
  )
  return `No document named ${asked}. ${near === undefined ? "codewright docs lists them all." : `Did you mean ${near}?`}`
}
