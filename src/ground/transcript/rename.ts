/** Renames a session that no process has open. */

import { ok, type Result } from "#lib/result.ts"
import { type AppendFailure, appendKept, type AppendPorts } from "./append-kept.ts"

export const renameSession = (
  logPath: string,
  title: string,
  ports: AppendPorts,
): Promise<Result<void, AppendFailure>> =>
  appendKept(logPath, () => ok({ kind: "title", text: title, by: "person" }), ports)
