/** Programs whose words are their own: subcommands, targets, packages and files, and no command to run. For deny rules only. */

import { programName } from "#ground/workspace/shell/programs/launchers.ts"
import { lazily } from "#lib/lazily.ts"

/** Every word, whatever the subcommand. Flags that start a program are in the table of those that outgrow a rule. */
const plain =
  "apk apt apt-get aws az black cc chgrp chmod chown clang ctest curl dnf dpkg eslint flake8 g++ gcc gcloud gmake gradle gradlew grep gunzip gzip helm javac jest just kill killall make mocha mvn mvnw mypy ninja pacman pip pip3 pkill playwright prettier pylint pytest rake rg rsync ruff rustc scp sed service stylelint systemctl tar task terraform tsc unzip vitest wget yum zip"

/** Every word after one of these subcommands. */
const verbs: { readonly [program: string]: string } = {
  brew: "cleanup config deps doctor fetch info install leaves link list outdated pin reinstall search services tap uninstall unlink untap update upgrade uses",
  bun: "add i install link outdated pm publish remove rm unlink update upgrade",
  cargo:
    "add bench build b c check clean clippy d doc fetch fix fmt info init install metadata new package publish remove rm search t test tree uninstall update vendor version yank",
  composer: "dump-autoload info install outdated remove require show update validate why",
  conda: "clean config create deactivate env info install list remove search uninstall update",
  docker:
    "build buildx builder commit context cp diff events export history image images import info inspect kill load login logout logs manifest network node pause plugin port ps pull push rename restart rm rmi save search secret service stack start stats stop swarm system tag unpause update version volume wait",
  gem: "build check cleanup contents dependency environment fetch info install list outdated push search sources uninstall update yank",
  gh: "api auth browse cache gist issue label org pr project release repo ruleset run search secret status variable workflow",
  git: "add am apply archive blame branch bundle cat-file checkout cherry cherry-pick clean clone commit describe diff fetch format-patch fsck gc grep init lfs log ls-files ls-remote ls-tree merge merge-base mv notes pull push range-diff reflog remote reset restore revert rev-list rev-parse rm shortlog show show-ref sparse-checkout stash status switch tag update-index worktree",
  go: "build clean doc env fix fmt generate get help install list mod test version vet work",
  kubectl:
    "annotate api-resources api-versions apply auth autoscale certificate cluster-info config cordon delete describe diff drain explain expose get kustomize label logs options patch replace rollout scale set taint top uncordon version wait",
  npm: "access add audit bugs cache ci dedupe deprecate dist-tag docs doctor fund help i info install link list ll login logout ls org outdated owner pack ping pkg prefix profile prune publish query rebuild remove repo rm root search shrinkwrap star team token un uninstall unlink unpublish up update v version view whoami why",
  pnpm: "add audit bin dedupe fetch i import install licenses link list ls outdated pack patch prune publish rebuild remove rm root setup store un uninstall unlink up update why",
  podman:
    "build commit cp diff events export history image images import info inspect kill load login logout logs network pause port ps pull push rename restart rm rmi save search secret start stats stop system tag unpause version volume wait",
  poetry:
    "about add build cache check config env export init install list lock new publish remove search self show update version",
  uv: "add build cache export init lock pip publish python remove self sync tree venv version",
  yarn: "add audit bin cache config dedupe help import info init install licenses link list login logout outdated owner pack patch plugin publish rebuild remove set tag team unlink unplug up upgrade version versions why workspace workspaces",
}

/** The next word is the name of a script; what follows is for that. */
const scripted: { readonly [program: string]: string } = {
  bun: "run",
  npm: "run run-script rum urn start stop restart test t tst",
  pnpm: "run run-script start test t",
  yarn: "run start test",
}

const tables = lazily(() => {
  const listed = (table: typeof verbs): ReadonlyMap<string, ReadonlySet<string>> =>
    new Map(Object.entries(table).map(([name, list]) => [name, new Set(list.split(" "))]))
  return { plain: new Set(plain.split(" ")), verbs: listed(verbs), scripted: listed(scripted) }
})

/** The first word that may be a command; Infinity if none is. */
export function commandsFrom(words: readonly string[]): number {
  const name = programName(words[0] ?? "")
  const verb = words[1] ?? ""
  const known = tables()
  if (known.plain.has(name) || known.verbs.get(name)?.has(verb)) return Infinity
  if (known.scripted.get(name)?.has(verb)) return /^(?:run|run-script|rum|urn)$/.test(verb) ? 3 : 2
  const group = /^(?:docker|podman)$/.test(name) && /^(?:compose|container)$/.test(verb)
  return group && /^[a-z]+$/.test(words[2] ?? "") && !/^(?:run|exec|create)$/.test(words[2] ?? "") ? Infinity : 1
}
