/** Flags of git that only choose what is shown and how it looks. */

/** No --output, no -O, no --ext-diff, no --textconv, no --submodule. */
export const diffFlags =
  "-p -u -s --patch --no-patch -U?number --unified:number --raw --patch-with-raw --minimal --patience --histogram --diff-algorithm:word --anchored:text --stat?word --numstat --shortstat --dirstat?word --summary --compact-summary --patch-with-stat -z --name-only --name-status --color?word --no-color --color-moved?word --no-color-moved --word-diff?word --word-diff-regex:text --color-words?text --renames --no-renames --check --full-index --binary --abbrev?number --no-abbrev -B?word -M?word -C?word -D --find-renames?word --find-copies?word --find-copies-harder --break-rewrites?word --diff-filter:word -S:text -G:text --find-object:text --pickaxe-all --pickaxe-regex -R --relative?text --no-relative -a --text -b -w --ignore-space-at-eol --ignore-cr-at-eol --ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-matching-lines:text --inter-hunk-context:number -W --function-context --exit-code --quiet --no-ext-diff --no-textconv --ignore-submodules?word --src-prefix:text --dst-prefix:text --no-prefix --default-prefix --line-prefix:text --ita-invisible-in-index --output-indicator-new:text --output-indicator-old:text --output-indicator-context:text --indent-heuristic --no-indent-heuristic"

export const revisionFlags =
  "-n:number --max-count:number --skip:number --since:text --after:text --until:text --before:text --author:text --committer:text --grep:text --grep-reflog:text --all-match --invert-grep -i --regexp-ignore-case --basic-regexp -E --extended-regexp -F --fixed-strings -P --perl-regexp --merges --no-merges --min-parents:number --max-parents:number --first-parent --all --branches?text --tags?text --remotes?text --glob:text --exclude:text --reflog --boundary --not --simplify-by-decoration --full-history --dense --sparse --simplify-merges --ancestry-path --date-order --author-date-order --topo-order --reverse --no-walk?word --left-right --left-only --right-only --cherry --cherry-pick --cherry-mark --show-pulls -g --walk-reflogs --count"

export const logFlags: string = [
  revisionFlags,
  diffFlags,
  "--oneline --pretty?text --format:text --abbrev-commit --no-abbrev-commit --relative-date --date:text --parents --children --graph --no-graph --decorate?word --no-decorate --decorate-refs:text --decorate-refs-exclude:text --clear-decorations --source --follow --full-diff --log-size -L:text -c --cc -m --notes --no-notes --mailmap --no-mailmap --use-mailmap --no-use-mailmap --encoding:word --show-linear-break",
].join(" ")

/** Flags with which `git diff` prints names and nothing else. */
export const naming: ReadonlySet<string> = new Set([
  "--name-only",
  "-z",
  "--cached",
  "--staged",
  "--diff-filter",
  "--merge-base",
  "--no-renames",
  "--no-color",
  "--no-relative",
])

/** Flags with which `git rev-list` prints hashes and nothing before them. */
export const hashing: ReadonlySet<string> = new Set([
  "-n",
  "--max-count",
  "--skip",
  "--since",
  "--until",
  "--author",
  "--all",
  "--merges",
  "--no-merges",
  "--first-parent",
  "--reverse",
])

export const listing =
  "-a -r -v -vv --all --remotes --verbose -i --ignore-case --color?word --no-color --column?word --no-column --abbrev?number --no-abbrev --sort:word --format:text --contains?text --no-contains?text --merged?text --no-merged?text --points-at?text"

/** Each of them makes it a list, and takes the commit after it or the newest. */
export const filters: readonly string[] = ["--contains", "--no-contains", "--merged", "--no-merged", "--points-at"]
