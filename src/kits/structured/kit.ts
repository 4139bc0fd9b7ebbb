/** Structured output: a tool whose input is the answer, in the form that was asked for. Its call ends the turn. */

import { touchesNothing } from "#agent/words/footprint.ts"
import type { End } from "#agent/words/end.ts"
import type { Kit } from "#agent/words/kit.ts"
import { answered, refused, type Tool } from "#agent/words/tool.ts"
import type { JsonObject } from "#lib/json.ts"
import type { SchemaCheck } from "#lib/json-schema.ts"

const structuredOutputName = "StructuredOutput"

export interface StructuredPorts {
  /** As the model sees it. */
  readonly schema: JsonObject
  /** What the model sent, with the names of the schema that was asked for. */
  readonly restore: (input: JsonObject) => JsonObject
  readonly check: SchemaCheck
}

export interface StructuredKit extends Kit {
  /** How a turn ends in which nothing is left to do. */
  readonly end: () => End
}

const mostFailures = 5
const mostComplaints = 10

export function structuredKit({ schema, restore, check }: StructuredPorts): StructuredKit {
  /** In this turn: outputs that did not fit, stops without any, and the last one that fits. */
  let failures = 0
  let reminders = 0
  let finalOutput: JsonObject | undefined

  const tool: Tool<JsonObject> = {
    name: structuredOutputName,
    description:
      "Gives your final answer as data. Call it exactly once, when all other work is done; nothing you write afterwards is read. Its input must fit the schema.",
    schema,
    parse: (input) => ({ ok: true, value: restore(input) }),
    title: () => "Structured output",
    footprint: touchesNothing,
    maxResultChars: 10_000,
    run(output) {
      const wrong = check(output)
      if (wrong.length === 0)
        return Promise.resolve(answered("Received.", { data: output, end: { reason: "completed" } }))
      const isLast = failures + 1 >= mostFailures
      return Promise.resolve(refused(wrongWords(wrong), isLast ? { end: exhausted } : {}))
    },
  }

  return {
    name: "structured output",
    tools: [tool],
    onEntry(entry) {
      if (entry.kind === "turn_start") {
        failures = 0
        reminders = 0
        finalOutput = undefined
      }
      if (entry.kind !== "result" || entry.tool !== structuredOutputName) return
      if (entry.isError) failures++
      else finalOutput = entry.data ?? {}
    },
    rest() {
      if (finalOutput || failures + reminders >= mostFailures) return []
      reminders++
      return [{ name: "structured_output", text: reminderWords }]
    },
    end: () => (finalOutput ? { reason: "completed", output: finalOutput } : exhausted),
  }
}

const exhausted: End = {
  reason: "structured_output_retry_exhausted",
  message: `The model gave no output that fits the schema in ${mostFailures} tries.`,
}

const reminderWords = `Your answer is wanted as data: call ${structuredOutputName} with it now. Text alone is not read.`

function wrongWords(wrong: readonly string[]): string {
  const more = wrong.length - mostComplaints
  return [
    "The output does not fit the schema. Correct these places, and call the tool again with the whole output:",
    ...wrong.slice(0, mostComplaints),
    ...(more > 0 ? [`… and ${more} more.`] : []),
  ].join("\n")
}
