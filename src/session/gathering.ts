/** What the kits of a session are made from. */

import type { LoopPorts } from "#kits/loop/kit.ts"
import type { AskHook } from "#kits/permissions/hook-answers.ts"
import type { SpawnPorts } from "#kits/subagents/child.ts"
import type { SessionHooks } from "#session/adapters/hooks.ts"
import type { TeamPorts } from "#session/opening/team.ts"
import type { SessionOptions } from "#session/opening/options.ts"
import type { Calls } from "#session/turn/calls.ts"
import type { Foundation } from "./foundation.ts"

export interface Gathering extends Pick<
  SessionOptions,
  | "place"
  | "model"
  | "limits"
  | "goal"
  | "manner"
  | "client"
  | "forkedFrom"
  | "permissions"
  | "plan"
  | "testing"
  | "playing"
  | "shell"
  | "shows"
  | "agents"
  | "agentsNow"
  | "team"
  | "programKits"
  | "child"
  | "search"
  | "recorded"
  | "sandbox"
  | "tools"
  | "log"
  | "clock"
  | "ids"
> {
  readonly foundation: Foundation
  readonly calls: Pick<Calls, "call" | "tools">
  /** Sends a prompt as the user would. */
  readonly send: LoopPorts["send"]
  readonly canAsk: boolean
  readonly allowed: (() => readonly string[]) | undefined
  readonly askHook: AskHook | undefined
  readonly spawner: SpawnPorts
  /** Where members of its team run. */
  readonly where: Pick<TeamPorts, "leadPort" | "whyInProcess">
  readonly hooks: Pick<SessionHooks, "has" | "fire"> | undefined
}
