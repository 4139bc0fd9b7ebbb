/** Requests of a client about its session, by subtype. What is not in the table is answered as unsupported. */

import { type ControlParts, type Controls, failure, introducing, no, success } from "./control.ts"
import { clientControls } from "./client-controls.ts"
import { changeControls } from "./change-controls.ts"
import type { ControlRequest } from "./inbound.ts"
import { listControls } from "./list-controls.ts"
import { queryControls } from "./query-controls.ts"
import { reloadControls } from "./reload-controls.ts"
import { serverControls } from "./server-controls.ts"
import { settingsControls } from "./settings-controls.ts"
import { taskControls } from "./task-controls.ts"

const controls: Controls = {
  ...changeControls,
  ...queryControls,
  ...listControls,
  ...settingsControls,
  ...reloadControls,
  ...taskControls,
  ...serverControls,
  ...clientControls,
}

/** Carries a request out and gives the answer to it; never throws. */
export async function answerControl(
  { id, subtype, request }: ControlRequest,
  parts: ControlParts,
  signal: AbortSignal,
): Promise<object> {
  const control = Object.hasOwn(controls, subtype) ? controls[subtype] : undefined
  const done = control
    ? await control(request, parts, signal).catch((error: unknown) => no(String(error)))
    : no(`Unsupported control request: ${subtype}`, "unsupported_request")
  if (!done.ok) return failure(id, done.failure)
  return subtype === "initialize" ? introducing(id, done.value ?? {}, parts.requests) : success(id, done.value)
}
