/** The words a test writes a model's part in: what it says and which tools it calls. */

import type { JsonObject } from "#lib/json.ts"
import type { ScenarioBlock, ScenarioReply } from "#sim/scenario.ts"

/** A reply of text alone. */
export const says = (text: string): ScenarioReply => ({ content: text })

/** A reply that calls tools, perhaps with text before. */
export const calls = (...content: ScenarioBlock[]): ScenarioReply => ({ content })

export const use = (tool: string, input: JsonObject): ScenarioBlock => ({ tool, input })
export const read = (file_path: string): ScenarioBlock => use("Read", { file_path })
export const write = (file_path: string, content: string): ScenarioBlock => use("Write", { file_path, content })
export const edit = (file_path: string, old_string: string, new_string: string): ScenarioBlock =>
  use("Edit", { file_path, old_string, new_string })
export const bash = (command: string): ScenarioBlock => use("Bash", { command })
