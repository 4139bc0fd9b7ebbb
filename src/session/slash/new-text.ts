/** `/skills new` and `/agents new`: the model asks what is needed and writes the file, where this repository has such files. */

import { existsSync } from "node:fs"
import { join } from "node:path"
import { findRepository } from "#ground/workspace/git/git.ts"
import type { SlashAnswer } from "#session/opening/program.ts"

export type NewKind = "skills" | "agents"

const asksForNew = /^new(?:\s+([\s\S]*))?$/

/** Undefined if the words are not about a new one. */
export function newAnswer(kind: NewKind, words: string, cwd: string): SlashAnswer | undefined {
  const found = asksForNew.exec(words.trim())
  if (!found) return undefined
  const said = found[1]?.trim() ?? ""
  const text = kind === "skills" ? skillWords(said, cwd) : agentWords(said, cwd)
  return {
    text: "",
    ops: [
      {
        type: "prompt",
        content: [{ type: "text", text }],
        when: "queue",
        // What people see of it; the rest is for the model.
        command: {
          typed: `New ${kind === "skills" ? "skill" : "agent"}: ${said || "to be asked"}`,
          source: "built-in",
        },
        origin: said === "" ? { kind: "made" } : { kind: "piped", words: said },
      },
    ],
  }
}

/** Where the repository keeps its own: the folder that has some, then the one that is there at all. */
export function ownFolder(cwd: string, kind: string): string {
  const root = findRepository(cwd)?.root ?? cwd
  const folders = [".codewright", ".claude"].map((name) => join(root, name))
  const used = folders.find((folder) => existsSync(join(folder, kind))) ?? folders.find((folder) => existsSync(folder))
  return join(used ?? join(root, ".codewright"), kind)
}

const about = (said: string): string => (said === "" ? "The user has not said yet what it is for." : said)

const asking =
  "Ask the user what you need to know and cannot see (AskUserQuestion, three questions at most, your own suggestion first): what it is for, when it is wanted, and what it must not do. Do not ask what was said already."

const skillWords = (said: string, cwd: string): string => `Make a new skill or slash command with me.

${about(said)}

1. Load the skill writing-a-skill.
2. ${asking} Make a slash command where a person starts it with a few words, a skill where you should find it yourself or it has files of its own.
3. Look at what is there, and write in the same manner. A skill is ${ownFolder(cwd, "skills")}/<name>/SKILL.md, a command ${ownFolder(cwd, "commands")}/<name>.md. Never write over a file that exists; take another name.
4. Write the file, and nothing else. Then say how to start it (/<name>), and that what it allows and its hooks count from the next session on.`

const agentWords = (said: string, cwd: string): string => `Make a new agent with me.

${about(said)}

1. ${asking}
2. Look at what is there, and write in the same manner: ${ownFolder(cwd, "agents")}/<name>.md. Never write over a file that exists; take another name.
3. Between two lines of dashes: name (letters and dashes), description (when it is to be started, in words that a task would use, because it is chosen by that), tools (only those it needs, separated by commas; without the line it has all), model only if it should differ. Below, its instructions: who it is, the steps, what it reports back and in which form, when it stops. It sees nothing of the conversation that starts it, so it must be told everything it needs.
4. Write the file, and nothing else. Then show the description, and say that the agent can be started now, and that hooks and servers of its own count from the next session on.`
