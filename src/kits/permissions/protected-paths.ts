/** Files whose change reaches further than the task: they are written only when the person approves that very edit. */

import { type Forms, isInside, namesBelow, namesOf, type Workspace } from "./paths.ts"

/** Why a path is protected, as part of a sentence; undefined when it is not, or belongs to the session itself. */
export function protection(path: string, workspace: Workspace, forms: Forms): string | undefined {
  const all = forms(path)
  const owned = workspace.own.flatMap(forms)
  if (all.every((form) => owned.some((own) => namesBelow(own, form) !== undefined))) return undefined
  const isApart = workspace.apart !== undefined && isInside(path, [workspace.root], forms)
  if (isApart) return whyBelow(all, workspace, forms)
  const folded = all.map(inOneCase)
  const lies = (folder: string): boolean => folded.some((form) => namesBelow(inOneCase(folder), form) !== undefined)
  for (const form of folded) {
    const why = whyByName(namesOf(form))
    if (why !== undefined) return why
  }
  if (workspace.protectedPaths.flatMap(forms).some(lies)) return "it belongs to the agent's own state"
  const homes = forms(workspace.home)
  if (homes.some((home) => privateAtHome.some((name) => lies(`${home}/${name}`))))
    return "it holds credentials or what programs run at their start"
  return systemStartFiles.some(lies) ? "every shell runs it at its start" : undefined
}

/** In a folder that was made for the work, only what lies below it counts. */
function whyBelow(all: readonly string[], { root }: Workspace, forms: Forms): string | undefined {
  for (const form of all)
    for (const folder of forms(root)) {
      const why = whyByName((namesBelow(folder, form) ?? []).map(inOneCase))
      if (why !== undefined) return why
    }
  return undefined
}

function whyByName(names: readonly string[]): string | undefined {
  for (const name of names) {
    const why = folders[name]
    if (why !== undefined) return why
  }
  const last = names.at(-1) ?? ""
  if (startFiles.includes(last)) return "a shell or git runs what it says"
  if (last === ".mcp.json") return "it names programs that are started"
  return last.startsWith(".env") ? "it holds secrets of the environment" : undefined
}

/** Folders that are protected wherever they lie, with all that is in them. */
const folders: { readonly [name: string]: string } = {
  ".git": "git runs what is configured there",
  ".codewright": "it holds settings, hooks and commands of the agent",
  ".claude": "it holds settings, hooks and commands of the agent",
  ".agents": "it holds skills of the agent",
  ".vscode": "the editor runs what is configured there",
  ".idea": "the editor runs what is configured there",
  ".ssh": "it holds credentials",
  ".aws": "it holds credentials",
  ".azure": "it holds credentials",
  ".gnupg": "it holds credentials",
  ".kube": "it holds credentials",
}

const startFiles: readonly string[] = [
  ".bashrc",
  ".bash_profile",
  ".bash_login",
  ".bash_logout",
  ".bash_aliases",
  ".profile",
  ".zshrc",
  ".zshenv",
  ".zprofile",
  ".zlogin",
  ".zlogout",
  ".kshrc",
  ".cshrc",
  ".tcshrc",
  ".login",
  ".inputrc",
  "config.fish",
  ".gitconfig",
]

const privateAtHome: readonly string[] = [
  ".config/gcloud",
  ".config/gh",
  ".config/git",
  ".config/fish",
  ".docker",
  ".oci",
  ".terraform.d",
  ".netrc",
  ".npmrc",
  ".pypirc",
  ".git-credentials",
]

const systemStartFiles: readonly string[] = ["/etc/profile", "/etc/profile.d", "/etc/bash.bashrc", "/etc/zsh"]

/** Case never makes a protected file another one, nor do characters that some file systems drop from names. */
function inOneCase(path: string): string {
  return path.replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, "").toLowerCase()
}
