/** What permissions know of tools is what the tools are: a new tool, or a new parameter, is missing from no table. */

import { expect, test } from "bun:test"
import { resolve } from "node:path"
import { toolParameters } from "#kits/permissions/rules/parameters.ts"
import { knownTools } from "#kits/permissions/rules/tool-names.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { referenceTools } from "../../scripts/reference-pages.ts"
import { readTree } from "./walls/source.ts"

/** Rules name these whole: no rule is about one of their parameters. */
const namedWhole: readonly string[] = [
  "BashOutput",
  "CallTool",
  "KillShell",
  "MergeBranch",
  "MessageSession",
  "SendMessage",
  "TaskCreate",
  "TaskGet",
  "TaskUpdate",
  "TeamCreate",
  "ToolSearch",
  "Workflow",
]

/** Offered only in some sessions. */
const sometimes: { readonly [tool: string]: { readonly [parameter: string]: string } } = {
  Bash: { dangerouslyDisableSandbox: "boolean" },
}

const tree = await readTree(resolve(import.meta.dir, "../.."), ["src"])

test("settings may name every tool that is written here", () => {
  const written = tree
    .filter(({ path, code }) => /^src\/(kits|team)\//.test(path) && /\bfootprint\b/.test(code))
    .flatMap(({ text }) => [...text.matchAll(/^\s+name: "([A-Z]\w+)",$|ToolName = "([A-Z]\w+)"/gm)])
    .map(([, name, constant]) => name ?? constant ?? "")
  expect(written.length).toBeGreaterThan(30)
  expect(written.filter((name) => !knownTools.includes(name))).toEqual([])
  expect(referenceTools().filter(({ name }) => !knownTools.includes(name))).toEqual([])
})

test.each(referenceTools().map(({ name, schema }) => [name, schema] as const))(
  "rules know the parameters of %s",
  (name, schema) => {
    const properties = Object.entries(isObject(schema["properties"]) ? schema["properties"] : {})
    const known = toolParameters[name]
    if (!known) return expect(properties.length === 0 || namedWhole.includes(name)).toBe(true)
    const kinds = Object.fromEntries(properties.map(([key, inner]) => [key, kindOf(inner)]))
    expect({ ...known.parameters, ...(known.subject && { [known.subject.parameter]: "string" }) }).toEqual({
      ...kinds,
      ...sometimes[name],
    })
  },
)

function kindOf(schema: JsonValue): string {
  const { type, enum: choices, anyOf }: JsonObject = isObject(schema) ? schema : {}
  if (type === "array") return "list"
  if (type === "integer") return "number"
  return typeof type === "string" ? type : choices || anyOf ? "string" : "unknown"
}
