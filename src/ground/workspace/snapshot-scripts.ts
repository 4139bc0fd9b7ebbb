/**
 * What the user's own shell is asked about itself, once its start files are read. Each answer is three strings, each
 * ended by a NUL: a kind, a name, a value. Words are escaped so that no alias changes what they mean.
 */

export type ProfileShell = "bash" | "zsh"

/** Options that change what a command means, and nothing about interactive use. */
const bashOptions = "extglob globstar dotglob nullglob failglob nocaseglob nocasematch xpg_echo"

/** The keys of a zsh table. */
const keysOf = (table: string): string => `\${(k)${table}}`

const bash = String.raw`
\builtin unset HISTFILE
for __cw_file in ~/.bash_profile ~/.bash_login ~/.profile; do [ -r "$__cw_file" ] && \builtin break; done
if [ -r ~/.bashrc ]; then
  # A login shell reads it only if its profile says so.
  __cw_text=$([ -r "$__cw_file" ] && \builtin printf %s "$(<"$__cw_file")")
  case $__cw_text in *bashrc*) ;; *) \builtin . ~/.bashrc ;; esac
fi
IFS=$' \t\n'
{
  \builtin printf 'path\0\0%s\0' "$PATH"
  for __cw_name in ${bashOptions}; do
    \builtin shopt -q "$__cw_name" 2>/dev/null && \builtin printf 'option\0%s\0on\0' "$__cw_name"
  done
  for __cw_name in noclobber pipefail; do
    case ":$SHELLOPTS:" in *":$__cw_name:"*) \builtin printf 'option\0%s\0on\0' "$__cw_name" ;; esac
  done
  for __cw_name in $(\builtin compgen -A function); do
    case $__cw_name in _[!_]*|__git*|__start_*) \builtin continue ;; esac
    \builtin printf 'function\0%s\0' "$__cw_name"
    \builtin declare -f -- "$__cw_name"
    \builtin printf '\0'
  done
  \builtin printf 'aliases\0\0'
  \builtin alias -p
  \builtin printf '\0done\0\0\0'
} >| "$1"
\builtin exit 0
`

const zsh = String.raw`
HISTFILE= SAVEHIST=0
\builtin zmodload zsh/parameter
{
  \builtin printf 'path\0\0%s\0' "$PATH"
  [[ -o globdots ]] && \builtin printf 'option\0dotglob\0on\0'
  [[ -o nullglob ]] && \builtin printf 'option\0nullglob\0on\0'
  [[ -o caseglob ]] || \builtin printf 'option\0nocaseglob\0on\0'
  [[ -o clobber ]] || \builtin printf 'option\0noclobber\0on\0'
  [[ -o pipefail ]] && \builtin printf 'option\0pipefail\0on\0'
  () {
    \builtin emulate -L zsh
    local name
    for name in ${keysOf("functions")}; do
      [[ $name == _* || $functions[$name] == *'builtin autoload'* ]] && \builtin continue
      \builtin printf 'function\0%s\0' "$name"
      \builtin functions -- "$name"
      \builtin printf '\0'
    done
    for name in ${keysOf("aliases")}; do \builtin printf 'alias\0%s\0%s\0' "$name" "$aliases[$name]"; done
  }
  \builtin printf 'done\0\0\0'
} >| "$1"
\builtin exit 0
`

/**
 * Arguments that make the user's shell read its start files as in interactive use, and then write its answers into a
 * file.
 */
export function askingArguments(shell: ProfileShell, file: string): readonly string[] {
  return ["-l", "-i", "-c", shell === "bash" ? bash : zsh, shell, file]
}

/**
 * Which of the functions in one file bash can parse, their names into another; options that change parsing follow. The
 * condition is never true, so that nothing is defined: only parsed.
 */
export const readingScript: string = String.raw`
given=$1 names=$2
shift 2
for option; do shopt -s "$option"; done
while IFS= read -r -d '' name && IFS= read -r -d '' body; do
  if eval "if false; then $body
fi" 2>/dev/null; then printf '%s\0' "$name"; fi
done < "$given" > "$names"
`
