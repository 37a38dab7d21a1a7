#!/usr/bin/env bash
# system.sh [--with FILE] NAME COMMAND...: runs the command in a system of tools/systems.txt, in a copy of this checkout: the files that git tracks
# or would track, as they are now, and FILE. The system is a chroot of Debian's packages, build-systems/NAME, made by root or with sudo; it is
# made anew if it is older than a day, if the last run was interrupted, or with FRESH=yes.
# system.sh --possible: status 0 if this machine allows that; if not, a sentence that says so.
# system.sh --remove: removes the systems.
#
# Whatever mounts something runs in namespaces of its own (unshare): nobody outside sees the mounts, and they are gone, like all its
# processes, when its first process ends, however that happens.
set -euo pipefail
cd "$(dirname "$0")/.."
systems=build-systems
home=root # the folder of the only user of a system

fail() {
  echo "system.sh: $*" >&2
  exit 1
}

# ---- in the namespaces, as root

# Never removes what somebody has mounted there.
remove() {
  local top
  top=$(pwd -P)/$1
  if findmnt -nlo TARGET | awk -v top="$top" '$0 == top || index($0, top "/") == 1 { found = 1 } END { exit !found }'; then
    fail "something is mounted below $top, so it is not removed: see findmnt"
  fi
  rm -rf --one-file-system -- "$top"
}

# Where this machine gets Debian's packages from; nothing if it is not a Debian. apt reads all forms of its lists of sources.
mirror() {
  apt-get --print-uris update 2>/dev/null | sed -nE "s|^'(.*/debian)/+dists/[^/'-]+/InRelease'.*|\1|p" | head -n 1
}

make_system() {
  local name=$1 suite=$2 tree=$systems/$1 source proxy
  source=$(mirror)
  local options=(--variant=minbase --include=make,ca-certificates,ccache
    # A mirror may be behind, and who needs to know how fresh it is does not ask this script. A lost chroot is made again.
    --aptopt='Acquire::Check-Valid-Until "false"' --aptopt='Acquire::Languages "none"' --dpkgopt=force-unsafe-io)
  while IFS= read -r proxy; do options+=(--aptopt="$proxy"); done < <(apt-config dump | grep -E '^Acquire::https?::Proxy ')
  remove "$tree"
  mmdebstrap "${options[@]}" "$suite" "$tree" ${source:+"deb $source $suite main"} >"$tree.log" 2>&1 || {
    tail -n 20 "$tree.log" >&2
    fail "mmdebstrap could not make $name"
  }
  cp /etc/hosts "$tree/etc/hosts"
  # No package starts a server.
  printf '#!/bin/sh\nexit 101\n' >"$tree/usr/sbin/policy-rc.d"
  chmod +x "$tree/usr/sbin/policy-rc.d"
}

mount_system() {
  local tree=$1 device
  mount -t proc proc "$tree/proc"
  mount -t tmpfs tmpfs "$tree/dev"
  for device in null zero full random urandom tty; do
    : >"$tree/dev/$device"
    mount --bind "/dev/$device" "$tree/dev/$device"
  done
  mkdir "$tree/dev/pts" "$tree/dev/shm"
  mount -t devpts -o newinstance,ptmxmode=0666 devpts "$tree/dev/pts"
  mount -t tmpfs tmpfs "$tree/dev/shm"
  ln -s pts/ptmx "$tree/dev/ptmx"
  ln -s /proc/self/fd "$tree/dev/fd"
  ln -s fd/0 "$tree/dev/stdin"
  ln -s fd/1 "$tree/dev/stdout"
  ln -s fd/2 "$tree/dev/stderr"
  mkdir -p "$tree/$home/.cache/ccache" "$systems/ccache"
  mount --bind "$systems/ccache" "$tree/$home/.cache/ccache"
}

inside() {
  local name=$1 suite=$2 tree=$systems/$1 status=0
  shift 2
  if [ "${FRESH-}" != yes ] && [ -n "$(find "$tree.ready" -mmin -1440 2>/dev/null)" ]; then
    mv "$tree.ready" "$tree.used"
  else
    rm -f "$tree.ready"
    make_system "$name" "$suite"
    : >"$tree.used"
  fi
  mount_system "$tree"
  rm -rf --one-file-system "$tree/$home/hortus"
  mkdir "$tree/$home/hortus"
  tar -x -C "$tree/$home/hortus" --no-same-owner -f "$tree.tar"
  # None of this machine's settings, but how to reach others. Ctrl-C is ignored in what a script starts in the background.
  local kept=()
  for setting in JOBS TERM http_proxy https_proxy no_proxy npm_config_registry; do
    [ -z "${!setting-}" ] || kept+=("$setting=${!setting}")
  done
  env -i --default-signal=INT,QUIT HOME=/root LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "${kept[@]}" \
    chroot "$tree" sh -c 'cd ~/hortus && exec "$@"' sh "$@" || status=$?
  # A run that was interrupted, which may have left packages half installed, does not come here.
  mv "$tree.used" "$tree.ready"
  exit $status
}

# ---- outside

isolated() { unshare --mount --pid --fork --kill-child "$@"; }

become_root() {
  [ "$(id -u)" -ne 0 ] || return 0
  local sudo=(sudo)
  [ -t 0 ] || sudo+=(-n)
  { command -v sudo >/dev/null && "${sudo[@]}" true; } || fail "no chroot can be made here: that takes root or sudo"
  exec "${sudo[@]}" env "JOBS=${JOBS-}" "FRESH=${FRESH-}" "http_proxy=${http_proxy-}" "https_proxy=${https_proxy-}" \
    "no_proxy=${no_proxy-}" "npm_config_registry=${npm_config_registry-}" bash tools/system.sh "$@"
}

possible() {
  local needed
  for needed in mmdebstrap unshare setpriv flock findmnt; do
    command -v $needed >/dev/null || fail "no chroot can be made here: $needed is missing"
  done
  # shellcheck disable=SC2016
  isolated sh -c 'mount -t tmpfs tmpfs "$1" && mkdir "$1/proc" && mount -t proc proc "$1/proc"' sh /mnt 2>/dev/null ||
    fail "no chroot can be made here: this machine allows no mounts"
}

copy_of_checkout() {
  if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    git ls-files -z --cached --others --exclude-standard |
      while IFS= read -r -d '' file; do
        [ ! -e "$file" ] && [ ! -L "$file" ] || printf '%s\0' "$file" # those that are deleted are still tracked
      done | tar -c --null --no-recursion -T - -f "$1"
  else
    tar -c --exclude=./build --exclude='./build-*' -f "$1" .
  fi
}

case ${1-} in
  --inside)
    shift
    inside "$@"
    ;;
  --possible)
    become_root "$@"
    possible
    exit 0
    ;;
  --remove)
    [ -e $systems ] || exit 0
    become_root "$@"
    shopt -s nullglob
    for lock in "$systems"/*.lock; do
      exec {held}<"$lock"
      flock -n "$held" || fail "$lock is in use, so nothing is removed"
    done
    remove $systems
    exit 0
    ;;
esac

# The registry that this machine's npm asks; a test installs packages of it.
[ -n "${npm_config_registry-}" ] || ! command -v npm >/dev/null || npm_config_registry=$(npm config get registry 2>/dev/null || true)
become_root "$@"
possible

with=()
if [ "${1-}" = --with ]; then
  with=("${2-}")
  shift 2
fi
name=${1-}
suite=$(awk -v name="$name" '$1 == name { print $2 }' tools/systems.txt)
{ [ -n "$suite" ] && [ $# -ge 2 ]; } || fail "usage: system.sh [--with FILE] NAME COMMAND..., with a name of tools/systems.txt"
shift

mkdir -p $systems
exec 9>"$systems/$name.lock"
flock -n 9 || fail "$name is in use by another run"
copy_of_checkout "$systems/$name.tar"
[ ${#with[@]} -eq 0 ] || tar -r -f "$systems/$name.tar" "${with[@]}"
export JOBS FRESH http_proxy https_proxy no_proxy npm_config_registry
# In the background, so that a signal to this script is acted on at once. Killed with this script, whatever kills that.
setpriv --pdeathsig KILL unshare --mount --pid --fork --kill-child bash tools/system.sh --inside "$name" "$suite" "$@" &
child=$!
trap 'kill -KILL $child; exit 130' INT TERM HUP
wait $child
