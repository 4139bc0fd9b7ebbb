/** The panel of skills and commands that files bring: what each does, where it stands, and what is wrong with it. */

import type { CommandDefinition } from "#agent/words/command.ts"
import { skillHeadings, skillsReport, whoUses } from "#session/slash/reports.ts"
import type { SkillsPort } from "./extension-ports.ts"
import { reportList } from "./report-list.ts"
import type { ListDefinition, TextDefinition } from "./panel.ts"
import { factRows, passage, textRows, warningRows } from "./passage.ts"
import { drawnOnce } from "./place.ts"

export const skillsPanel = <T>(port: SkillsPort, query: string): ListDefinition<T> =>
  reportList(skillsReport, port.list, query, {
    async choose({ key }) {
      const found = (await port.list()).find(({ name }) => name === key)
      return found
        ? { kind: "opens", panel: skillPanel(found) }
        : { kind: "stays", note: "This file no longer exists." }
    },
  })

const skillPanel = <T>(definition: CommandDefinition): TextDefinition<T> => ({
  kind: "text",
  title: `/${definition.name}`,
  begins: "top",
  async load() {
    const { kind, source, path, takes, whenToUse, allowedTools, disallowedTools, model, fork, paths } = definition
    const facts = factRows([
      ["Kind", [kind, ...whoUses(definition)].join(", ")],
      ["From", path ?? skillHeadings[source]],
      ["Takes", takes],
      ["Allows", allowedTools.join(", ")],
      ["Denies", disallowedTools.join(", ")],
      ["Model", model],
      ["Agent", fork && (fork.agent ?? "a new agent")],
      ["For files", paths?.join(", ")],
    ])
    return {
      draw: drawnOnce(
        passage(
          facts,
          warningRows(definition.problems.join("\n")),
          textRows("Description", definition.description),
          textRows("When to use", whenToUse),
          textRows("Instructions", definition.body),
        ),
      ),
      keys: [],
    }
  },
})
