/** What is not understood may still contain commands, which deny rules need to know about. */

import { forEachChild, type SyntaxNode } from "unbash"
import type { Reading } from "./reading.ts"
import { walkSimple } from "./simple.ts"
import type { State } from "./state.ts"

/** Everything below a node that is not understood, as far as it consists of commands that were not reached yet. */
export function salvage(
  node: SyntaxNode,
  reading: Reading,
  isKnown: (command: SyntaxNode) => boolean = () => false,
): void {
  const nowhere: State = { folders: undefined, variables: new Map() }
  const visit = (child: SyntaxNode): void => {
    if (child.type !== "Command") forEachChild(child, visit)
    else if (!isKnown(child)) walkSimple(child, nowhere, undefined, reading)
  }
  forEachChild(node, visit)
}
