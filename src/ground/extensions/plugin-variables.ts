/** The variables that tell the programs of a plugin where they are. */

/** By these the programs of a plugin find their files, and where they may keep something. */
export const pluginVariables = ({
  root,
  data,
}: {
  readonly root: string
  readonly data: string
}): { readonly [name: string]: string } => ({
  CLAUDE_PLUGIN_ROOT: root,
  CODEWRIGHT_PLUGIN_ROOT: root,
  CLAUDE_PLUGIN_DATA: data,
  CODEWRIGHT_PLUGIN_DATA: data,
})
