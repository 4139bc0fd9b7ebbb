/** The sequence that makes a terminal show a notification on the desktop. */

export function notification(
  text: string,
  { term = "", program }: { readonly term: string | undefined; readonly program: string | undefined },
): string {
  const plain = text.replaceAll(";", ",")
  // A few terminals know only the second form; others would show both.
  const sequence = /^(?:rxvt|foot)/.test(term)
    ? `\u001b]777;notify;Codewright;${plain}\u0007`
    : `\u001b]9;Codewright: ${plain}\u0007`
  // tmux drops it, unless its user lets such sequences through (allow-passthrough).
  return program === "tmux" ? `\u001bPtmux;${sequence.replaceAll("\u001b", "\u001b\u001b")}\u001b\\` : sequence
}
