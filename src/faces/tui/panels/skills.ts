/** The panel of skills and commands that files bring: what each does, where it stands, and what is wrong with it. */

import type { CommandDefinition, CommandSource } from "#agent/words/command.ts"
import { counted } from "#lib/figures.ts"
import { firstLine } from "#lib/rows.ts"
import type { SkillsPort } from "./extension-ports.ts"
import type { ListDefinition, PanelRow, TextDefinition } from "./panel.ts"
import { factRows, passage, textRows, warningRows } from "./passage.ts"
import { drawnOnce } from "./place.ts"

const headings: { readonly [source in CommandSource]: string } = {
  project: "Project",
  user: "User",
  plugin: "Plugins",
  server: "MCP servers",
  "built-in": "Built-in",
}

const troubled = "With problems"
const groups = [troubled, headings.project, headings.user, headings.plugin, headings.server, headings["built-in"]]

export function skillsPanel<T>(port: SkillsPort, query: string): ListDefinition<T> {
  return {
    kind: "list",
    title: "Skills and commands",
    about: "Add your own in .codewright/skills and .codewright/commands.",
    empty: "No skills or commands.",
    search: "rows",
    query,
    takes: "open",
    load: async () =>
      (await port.list()).map(rowOf).toSorted((a, b) => groups.indexOf(a.group ?? "") - groups.indexOf(b.group ?? "")),
    async take({ key }) {
      const found = (await port.list()).find(({ name }) => name === key)
      return found
        ? { kind: "opens", panel: skillPanel(found) }
        : { kind: "stays", note: "This file no longer exists." }
    },
  }
}

function rowOf(definition: CommandDefinition): PanelRow {
  const { name, description, source, problems } = definition
  const trouble = problems.length === 0 ? [] : [counted(problems.length, "problem")]
  return {
    key: name,
    text: `/${name}`,
    facts: [...trouble, ...whoWords(definition), firstLine(description)].join(" · "),
    group: problems.length === 0 ? headings[source] : troubled,
  }
}

function whoWords({ isForModel, isForPerson }: CommandDefinition): readonly string[] {
  if (isForModel === isForPerson) return []
  return [isForPerson ? "only you can run this" : "only the model can load this"]
}

const skillPanel = <T>(definition: CommandDefinition): TextDefinition<T> => ({
  kind: "text",
  title: `/${definition.name}`,
  begins: "top",
  async load() {
    const { kind, source, path, takes, whenToUse, allowedTools, disallowedTools, model, fork, paths } = definition
    const facts = factRows([
      ["Kind", [kind, ...whoWords(definition)].join(", ")],
      ["From", path ?? headings[source]],
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
