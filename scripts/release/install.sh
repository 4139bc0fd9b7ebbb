#!/bin/sh
# Installs Codewright for one user: no root, no changes to shell profiles unless asked, and it says what it did.
# Usage: sh install.sh [--from <https address or folder>] [--version <version>] [--prefix <folder>]
#                      [--key <public key or file>] [--add-to-path] [--skip-signature]
set -eu

source='@SOURCE@'
key='@KEY@'
version=latest
prefix=${HOME:?HOME is not set}/.local
add_to_path=no
check_signature=yes
mark='# added by the Codewright installer'

fail() {
  echo "error: $1" >&2
  exit 1
}

while [ $# -gt 0 ]; do
  case $1 in
    --from | --version | --prefix | --key)
      [ $# -gt 1 ] || fail "$1 needs a value"
      case $1 in
        --from) source=${2%/} ;;
        --version) version=$2 ;;
        --prefix) prefix=$2 ;;
        --key) key=$2 ;;
      esac
      shift
      ;;
    --add-to-path) add_to_path=yes ;;
    --skip-signature) check_signature=no ;;
    -h | --help)
      sed -n '2,4s/^# //p' "$0"
      exit 0
      ;;
    *) fail "unknown option $1" ;;
  esac
  shift
done

case $source in
  https://* | /* | http://127.0.0.1:* | http://localhost:*) ;;
  '') fail "where releases are is not known. Add --from <https address or folder>" ;;
  *) fail "releases come from https addresses or absolute folders, not from $source" ;;
esac
case $version in
  latest | [0-9]*.[0-9]*.[0-9]*) ;;
  *) fail "$version is not a version" ;;
esac
case $version$prefix in
  *'
'*) fail "line breaks in paths are not supported" ;;
esac
case $prefix in
  /*) ;;
  *) prefix=$(pwd)/$prefix ;;
esac

root=$prefix/share/codewright
bin=$prefix/bin
[ ! -e "$root/installation" ] || fail "Codewright is installed in $root already. Update it with: codewright update"

# Which program fits this machine.
case $(uname -s) in
  Linux) system=linux ;;
  Darwin) system=darwin ;;
  *) fail "there is no Codewright for $(uname -s)" ;;
esac
case $(uname -m) in
  x86_64 | amd64) machine=x64 ;;
  aarch64 | arm64) machine=arm64 ;;
  *) fail "there is no Codewright for $(uname -m) processors" ;;
esac
target=$system-$machine
if [ "$system" = linux ] && [ ! -e /lib64/ld-linux-x86-64.so.2 ] && [ ! -e /lib/ld-linux-aarch64.so.1 ]; then
  target=$target-musl
fi

made=
make_folder() {
  [ -d "$1" ] && return
  make_folder "$(dirname "$1")"
  mkdir "$1" || fail "$1 cannot be made"
  made="${made}made $1
"
}

# Whatever stops us, nothing stays behind.
work=
installed=no
clean_up() {
  [ -z "$work" ] || rm -rf "$work"
  [ "$installed" = yes ] && return
  rm -rf "$root/versions"
  rm -f "$root/current" "$root/installation"
  printf '%s' "$made" | sed -n 's/^made //p' | sort -r | while IFS= read -r folder; do
    rmdir "$folder" 2>/dev/null || :
  done
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

make_folder "$root"
work=$root/incoming-$$
mkdir "$work" || fail "$root cannot be changed"

get() {
  case $source in
    /*) cp "$source/$1" "$2" 2>/dev/null || fail "$source/$1 cannot be read, or there is no space left in $root" ;;
    *)
      if command -v curl >/dev/null 2>&1; then
        curl -fsSL --proto '=https,http' --proto-redir '=https' -o "$2" "$source/$1" || fail "$source/$1 cannot be downloaded"
      elif command -v wget >/dev/null 2>&1; then
        wget -q -O "$2" "$source/$1" || fail "$source/$1 cannot be downloaded"
      else
        fail "neither curl nor wget was found"
      fi
      ;;
  esac
}

get "$version/SHA256SUMS" "$work/SHA256SUMS"
if [ "$check_signature" = yes ]; then
  [ -n "$key" ] || fail "the key that signs releases is not known. Add --key <public key or file>"
  command -v ssh-keygen >/dev/null 2>&1 ||
    fail "ssh-keygen was not found, so the signature cannot be checked. Install OpenSSH, or add --skip-signature to rely on the checksum alone"
  [ -f "$key" ] && key=$(cat "$key")
  get "$version/SHA256SUMS.sig" "$work/SHA256SUMS.sig"
  echo "releases $key" >"$work/signers"
  ssh-keygen -q -Y verify -f "$work/signers" -I releases -n codewright-release -s "$work/SHA256SUMS.sig" \
    <"$work/SHA256SUMS" >/dev/null 2>&1 || fail "the signature of the release is wrong. Nothing was installed"
fi

# The first that this machine can unpack; the last is the largest. The tar of macOS reads xz by itself.
if command -v zstd >/dev/null 2>&1; then
  ending=tar.zst
elif [ "$system" = darwin ] || command -v xz >/dev/null 2>&1; then
  ending=tar.xz
else
  ending=tar.gz
fi
line=$(grep -E "^[0-9a-f]{64}  codewright-[0-9][^ /]*-$target\.$ending\$" "$work/SHA256SUMS") ||
  fail "the release has nothing for $target"
expected=${line%%  *}
file=${line##*  }
number=${file#codewright-}
number=${number%-"$target.$ending"}
[ "$version" = latest ] || [ "$version" = "$number" ] || fail "$source/$version holds version $number"

get "$number/$file" "$work/$file"
if command -v sha256sum >/dev/null 2>&1; then
  actual=$(sha256sum "$work/$file")
else
  actual=$(shasum -a 256 "$work/$file")
fi
[ "${actual%% *}" = "$expected" ] || fail "$file is damaged: its checksum is wrong. Nothing was installed"

mkdir "$work/unpacked"
case $ending in
  tar.zst) zstd -dcq "$work/$file" | tar -xf - -C "$work/unpacked" ;;
  tar.xz)
    if command -v xz >/dev/null 2>&1; then
      xz -dc "$work/$file" | tar -xf - -C "$work/unpacked"
    else
      tar -xJf "$work/$file" -C "$work/unpacked"
    fi
    ;;
  *) gzip -dc "$work/$file" | tar -xf - -C "$work/unpacked" ;;
esac || fail "$file cannot be unpacked; perhaps there is no space left in $root"
program=$work/unpacked/codewright-$number-$target/codewright
case $target in
  *-musl) hint="; it needs libstdc++ and libgcc: on Alpine, apk add libstdc++ libgcc" ;;
  *) hint= ;;
esac
"$program" --version >/dev/null 2>&1 || fail "the program does not start on this machine ($target)$hint"

mkdir -p "$root/versions"
mkdir "$root/versions/$number"
mv "$program" "$root/versions/$number/codewright"
ln -s "versions/$number" "$root/current"
make_folder "$bin"
record=
for name in codewright cw; do
  if [ -e "$bin/$name" ] || [ -h "$bin/$name" ]; then
    [ "$name" = cw ] || fail "$bin/$name exists already. Remove it first"
  else
    ln -s "$root/current/codewright" "$bin/$name"
    record="${record}link $bin/$name
"
  fi
done

case :$PATH: in
  *:"$bin":*) on_path=yes ;;
  *) on_path=no ;;
esac
if [ "$on_path" = no ] && [ "$add_to_path" = yes ]; then
  case ${SHELL:-} in
    */zsh) profile=$HOME/.zshrc ;;
    */bash) profile=$HOME/.bashrc ;;
    *) profile=$HOME/.profile ;;
  esac
  echo "PATH=\"$bin:\$PATH\" $mark" >>"$profile"
  record="${record}profile $profile
"
fi
printf '%s%s' "$made" "$record" >"$root/installation"
installed=yes

echo "Installed Codewright $number"
echo "  program  $root/versions/$number/codewright"
printf '%s' "$record" | sed -n "s|^link \(.*\)|  link     \1|p; s|^profile \(.*\)|  PATH     one line added to \1|p"
if [ "$on_path" = no ] && [ "$add_to_path" = no ]; then
  echo "$bin is not on your PATH. Add it, or start with: $bin/codewright"
fi
echo "Try it without an account: codewright demo. Remove it with: codewright uninstall"
