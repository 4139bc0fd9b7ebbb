/** The team of a session that is played again from its log: its tools are listed as they were, and its calls have the results they had. */

import type { Board } from "#agent/words/team.ts"
import type { AnyTool } from "#agent/words/tool.ts"
import { failed } from "#lib/result.ts"
import type { OpenTeam } from "#session/opening/team.ts"
import type { Claims } from "./claims.ts"
import { mergeTool } from "./merge-tool.ts"
import { leadName } from "./place.ts"
import { createTool, deleteTool } from "./team-tools.ts"
import { sendMessageTool } from "./send-message.ts"
import { taskTools } from "./task-tools.ts"

export const openReplayedTeam: OpenTeam = ({ git }) => {
  const tools = leadTools(git?.repository)
  let hasTeam = false
  return {
    kit: {
      name: "team",
      tools: [answeredFromLog(createTool(nobody))],
      onEntry(entry) {
        if (entry.kind === "result" && entry.tool === "TeamCreate" && !entry.isError) hasTeam = true
      },
    },
    joined: () => (hasTeam ? tools : none),
    members: { start: async () => failed(away) },
    overview: async () => undefined,
    start: () => {},
  }
}

const none: readonly AnyTool[] = []
const away = "This is a replay: nobody works here."
const nobody = () => Promise.reject(new Error(away))
const nothing = async () => failed({ kind: "nothing" } as const)

/** Calls that other models carry out are answered with what the log has. */
const answeredFromLog = (tool: AnyTool): AnyTool => ({ ...tool, delegates: true })

/** The tools of a lead without a team behind them. `repository`: where branches could be merged. */
export function leadTools(repository: string | undefined): readonly AnyTool[] {
  const board: Board = {
    create: nothing,
    reserve: nobody,
    othersThan: nobody,
    change: nothing,
    get: nobody,
    list: nobody,
    claim: nothing,
    beat: nobody,
    claims: nobody,
    complete: nothing,
    giveBack: nothing,
    takeBack: nothing,
  }
  const claims: Claims = { name: leadName, begin: nothing, finish: nothing, giveBack: nothing }
  const mail = { send: nobody, after: nobody, delivered: nobody, all: nobody }
  return [
    ...taskTools(board, claims),
    ...(repository === undefined ? [] : [mergeTool({ board, roster: { members: nobody }, repository, merge: nobody })]),
    sendMessageTool({ name: leadName, mail, objection: () => undefined, onSent: () => {} }),
    deleteTool(nobody),
  ].map(answeredFromLog)
}
