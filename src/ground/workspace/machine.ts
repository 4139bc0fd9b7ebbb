/** The account and the machine that programs run on. */

import { homedir, totalmem, userInfo } from "node:os"

export interface Machine {
  readonly uid: number | undefined
  /** The home the system knows, whatever the environment says. */
  readonly accountHome: string
  readonly memoryBytes: number
}

export const readMachine = (): Machine => ({
  uid: process.getuid?.(),
  accountHome: accountHome(),
  memoryBytes: totalmem(),
})

/** In some containers the account has no entry. */
function accountHome(): string {
  try {
    return userInfo().homedir
  } catch {
    return homedir()
  }
}
