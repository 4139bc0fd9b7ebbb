/** What is not understood may still hold commands, which deny rules want to know of. */

import { forEachChild, type SyntaxNode } from "unbash"
import type { Reading } from "./reading.ts"
import { walkSimple } from "./simple.ts"
import type { State } from "./state.ts"

/** Everything below a node that is not understood, as far as it consists of commands. */
export function salvage(node: SyntaxNode, reading: Reading): void {
  const nowhere: State = { folders: undefined, variables: new Map() }
  const visit = (child: SyntaxNode): void => {
    if (child.type === "Command") walkSimple(child, nowhere, undefined, reading)
    else forEachChild(child, visit)
  }
  forEachChild(node, visit)
}
