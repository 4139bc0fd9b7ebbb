/** A tool's definition as text: for the model, and complete for comparison. */

import type { McpToolDefinition } from "#ground/mcp/connection.ts"
import { cutText, plainText } from "#lib/plain-text.ts"
import { acceptable } from "./schema.ts"

const longestDescription = 2_048

export function described({ description, title }: McpToolDefinition): string | undefined {
  const words = description?.trim() || title?.trim()
  return words ? cutText(words, longestDescription) : undefined
}

export function definitionLines(definition: McpToolDefinition): string {
  const { name, title, inputSchema, annotations = {} } = definition
  const hints = Object.entries(annotations).map(([hint, value]) => `${hint} ${value}`)
  return [
    `Name: ${plainText(name)}`,
    ...(title === undefined ? [] : [`Title: ${cutText(title, longestDescription)}`]),
    "Description:",
    ...(described(definition) ?? "none").split("\n").map((line) => `  ${line}`),
    "Input:",
    ...JSON.stringify(acceptable(inputSchema).schema, null, 2)
      .split("\n")
      .map((line) => `  ${line}`),
    `Hints: ${hints.length === 0 ? "none" : hints.join(", ")}`,
    "",
  ].join("\n")
}
