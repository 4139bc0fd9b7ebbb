/** Searches and reads the guides that come with the program. Only agents that ask for it by name have it. */

import * as shape from "#lib/shape.ts"
import { defineTool } from "#agent/words/define-tool.ts"
import { touchesNothing } from "#agent/words/footprint.ts"
import { answered, refused, type Tool } from "#agent/words/tool.ts"

export interface GuidePage {
  readonly name: string
  readonly title: string
  /** In Markdown. */
  readonly text: string
}

export interface DocsInput {
  readonly page?: string | undefined
  readonly search?: string | undefined
}

export const docsName = "Docs"

const input = shape.object({
  page: shape.string().optional().describe("The name of a page, to read it whole"),
  search: shape.string().optional().describe("Words that a section must contain, such as: sandbox hosts"),
})

const mostSections = 8
const mostOfSection = 1_500

export const docsTool = ({ pages }: { readonly pages: () => Promise<readonly GuidePage[]> }): Tool<DocsInput> =>
  defineTool({
    name: docsName,
    description: `The guides and reference pages of this version of Codewright. Without input, lists the pages. search finds sections with all the words, at most ${mostSections}; page reads one page.`,
    input,
    title: ({ page, search }) => `Docs ${page ?? search ?? ""}`.trim(),
    footprint: touchesNothing,
    maxResultChars: 40_000,
    async run({ page, search }) {
      const all = await pages()
      const list = all.map(({ name, title }) => `${name}: ${title}`).join("\n")
      if (page !== undefined) {
        const found = all.find(({ name }) => name === page.toLowerCase().replace(/\.md$/, ""))
        return found ? answered(found.text) : refused(`There is no page named ${page}. The pages:\n${list}`)
      }
      if (search === undefined) return answered(list)
      const sections = sectionsWith(all, search)
      if (sections.length === 0) return refused(`No section has all of these words. Use fewer. The pages:\n${list}`)
      return answered(sections.join("\n\n"))
    },
  })

/** Those whose heading has the words come first; otherwise in the order of the pages, guides before reference. */
function sectionsWith(pages: readonly GuidePage[], search: string): readonly string[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const has = (text: string): boolean => words.every((word) => text.toLowerCase().includes(word))
  const found = pages.flatMap(({ name, text }) =>
    text
      .split(/^(?=##+ )/m)
      .map((section) => ({ name, section: section.trim(), head: section.slice(0, section.indexOf("\n")) }))
      .filter(({ section }) => has(`${name} ${section}`)),
  )
  const inHead = found.filter(({ name, head }) => has(`${name} ${head}`))
  return [...inHead, ...found.filter((one) => !inHead.includes(one))]
    .slice(0, mostSections)
    .map(({ name, section }) => `[${name}]\n${cut(section)}`)
}

const cut = (text: string): string =>
  text.length <= mostOfSection ? text : `${text.slice(0, mostOfSection)}\n[Cut here. Read the page for the rest.]`
