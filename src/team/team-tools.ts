/** The tools that make a team and end it. */

import { defineTool } from "#agent/words/define-tool.ts"
import { touchesNothing } from "#agent/words/footprint.ts"
import type { AnyTool, Outcome } from "#agent/words/tool.ts"
import * as shape from "#lib/shape.ts"

const createDescription = `Makes a team that you lead, for long work that several agents share. Only when the user asks for a team or agrees to one. You then get tools for its tasks and messages, and start members with Task.`

export const createTool = (create: (name: string, description: string | undefined) => Promise<Outcome>): AnyTool =>
  defineTool({
    name: "TeamCreate",
    description: createDescription,
    input: shape.object({
      name: shape.string().trim().min(1).describe("A short name, such as login-rewrite"),
      description: shape.string().trim().min(1).optional().describe("What it is for"),
    }),
    title: ({ name }) => `Create the team ${name}`,
    keyed: true,
    footprint: () => ({ ...touchesNothing(), alone: true }),
    run: ({ name, description }) => create(name, description),
  })

export const deleteTool = (remove: () => Promise<Outcome>): AnyTool =>
  defineTool({
    name: "TeamDelete",
    description:
      "Ends your team, with its members, tasks and mail. Members that still work must be asked to leave first.",
    input: shape.object({}),
    title: () => "End the team",
    keyed: true,
    footprint: () => ({ ...touchesNothing(), alone: true }),
    run: remove,
  })
