#!/usr/bin/env bash
# install_dependencies.sh build|test|libcxx|lint|redis|clients|systems...: installs the Debian or Ubuntu packages that these need
# and that are missing, and says nothing when none is. A name "a|b" is satisfied by either; one that ends in "?" is left out where the distribution has
# no such package (it is then part of another).
set -euo pipefail

wanted=()
for purpose in "$@"; do
  case $purpose in
    build) wanted+=(g++ cmake ninja-build 'pkgconf|pkg-config' libxxhash-dev libhwy-dev libcli11-dev libfmt-dev nlohmann-json3-dev
      zlib1g-dev libzstd-dev) ;;
    test) wanted+=(python3 libgtest-dev libgmock-dev librapidcheck-dev zstd jq mandoc zsh fish clang
      'libclang-rt-dev|libclang-rt-14-dev?') ;;
    libcxx)
      # The newest there is: before 16 it lacks parts of C++20.
      newest=$(apt-cache pkgnames libc++- | sed -n 's/^libc++-\([0-9]*\)-dev$/\1/p' | sort -n | tail -n 1)
      [ -n "$newest" ] || { echo "install_dependencies.sh: no package libc++-NUMBER-dev is known here" >&2 && exit 1; }
      wanted+=(googletest "clang-$newest" "libc++-$newest-dev" "libc++abi-$newest-dev")
      ;;
    lint) wanted+=(clang-format clang-tidy) ;;
    redis)
      wanted+=(python3 python3-redis binutils)
      # These often come from elsewhere, and Debian's would be in their way. REDIS_SERVER=valkey-server asks for others.
      server=${REDIS_SERVER:-redis-server} && server=${server%% *}
      command -v "$server" >/dev/null || wanted+=("${server##*/}")
      command -v "${server%-server}-cli" redis-cli >/dev/null || wanted+=(redis-tools)
      ;;
    clients) command -v npm >/dev/null || wanted+=(nodejs npm) ;;
    systems) wanted+=(mmdebstrap debian-archive-keyring gpgv util-linux mount) ;;
    *) echo "install_dependencies.sh: '$purpose' is none of build, test, libcxx, lint, redis, clients, systems" >&2 && exit 2 ;;
  esac
done

if ! command -v dpkg-query >/dev/null; then
  echo "Not a Debian or Ubuntu: please see to it that you have what these packages hold: ${wanted[*]}" >&2
  exit 0
fi

installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }
available() { [ -n "$(apt-cache show --no-all-versions "$1" 2>/dev/null)" ]; }
no_lists_yet() { [ -z "$(find /var/lib/apt/lists -maxdepth 1 -name '*Packages*' -print -quit 2>/dev/null)" ]; }

missing=()
for entry in "${wanted[@]}"; do
  IFS='|' read -ra names <<<"${entry%\?}"
  found=no
  for name in "${names[@]}"; do
    installed "$name" && continue 2
    ! available "$name" || found=yes
  done
  # Only lists that are there can say that a package does not exist.
  if [ "${entry: -1}" = '?' ] && [ $found = no ] && ! no_lists_yet; then continue; fi
  missing+=("$entry")
done
[ ${#missing[@]} -gt 0 ] || exit 0

# Of each missing entry the name that this distribution has.
packages=()
choose_packages() {
  packages=()
  for entry in "${missing[@]}"; do
    IFS='|' read -ra names <<<"${entry%\?}"
    for name in "${names[@]}"; do
      available "$name" && packages+=("$name") && continue 2
    done
    [ "${entry: -1}" = '?' ] || packages+=("${names[0]}")
  done
}

# As root, or by sudo, which may ask for a password only where somebody can answer.
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  as_root=(sudo)
  [ -t 0 ] || as_root+=(-n)
  if ! command -v sudo >/dev/null || ! "${as_root[@]}" true; then
    choose_packages
    [ ${#packages[@]} -gt 0 ] || exit 0
    printf '%s\n' "hortus needs packages that neither root nor sudo is here to install. Please have somebody run" \
      "  apt-get install ${packages[*]}" >&2
    exit 1
  fi
fi
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive NEEDRESTART_MODE=a apt-get -q -o DPkg::Lock::Timeout=300)

# A mirror that is down for the moment is no reason to stop: the lists of last time may do.
"${apt[@]}" update || echo "apt-get update failed; going on with the package lists at hand" >&2
choose_packages
[ ${#packages[@]} -eq 0 ] || "${apt[@]}" install -y --no-install-recommends "${packages[@]}"
