#!/usr/bin/env bash
# in_system.sh NAME all|quick TEST...: what `make systems` and `make systems-quick` do in the system NAME of tools/systems.txt. It
# installs packages: run it there, by tools/system.sh. TEST: those of the Redis module's tests that are quick.
# All steps are done, also after one has failed; the time of each is printed at the end.
set -euo pipefail
cd "$(dirname "$0")/.."
name=$1 what=$2
shift 2
jobs=${JOBS:-$(nproc)}
read -r -a programs < <(awk -v name="$name" '$1 == name { $1 = $2 = ""; print }' tools/systems.txt)
servers=()
for program in "${programs[@]:1}"; do servers+=("${program%=*}"); done

times=() failed=no
step() {
  local begin=$SECONDS result=passed
  printf '== %s: %s\n' "$name" "$*"
  "$@" || result=FAILED
  [ $result = passed ] || failed=yes
  times+=("$(printf '%6d s  %s  %s' $((SECONDS - begin)) $result "$*")")
}

install_servers() {
  local server
  for server in "${servers[@]}"; do REDIS_SERVER=$server bash tools/install_dependencies.sh redis || return; done
}

# The list is true: another version would have been tested than the pages say.
has_what_the_list_says() {
  local program version got status=0
  for program in "${programs[@]}"; do
    version=${program#*=} program=${program%=*}
    got=$("$program" --version | grep -oE '[0-9]+(\.[0-9]+)+' | head -n 1)
    if [[ $got. != "$version".* ]]; then
      echo "tools/systems.txt says $program $version of $name, which has $got" >&2
      status=1
    fi
  done
  return $status
}

redis_test() {
  REDIS_SERVER=$1 make redis-test WERROR=ON
}

# Of what the tests need only the libraries, which the configuration asks for.
install_packages() {
  bash tools/install_dependencies.sh build redis &&
    apt-get -q install -y --no-install-recommends "${servers[@]}" libgtest-dev libgmock-dev librapidcheck-dev
}

read_sources() {
  CMAKE_GENERATOR=Ninja cmake --preset release -B build-read -DHORTUS_WERROR=ON -DHORTUS_TESTS=ON -DHORTUS_REDIS=ON >/dev/null &&
    python3 tools/syntax_check.py build-read "$jobs" hortus hortus_redis_client hortus_redis hortus_cli_parts hortus_cli_loops \
      hortus_cli_measured hortus_cli hortus_headers_alone
}

# The module came along. It is made here if it does not load here: of another processor, or with newer libraries.
module() {
  local libraries
  { libraries=$(ldd build/hortus_redis.so) && [[ $libraries != *"not found"* ]]; } || make redis
}

quick_redis_test() {
  REDIS_SERVER=$1 python3 tests/redis/run.py build/hortus_redis.so build/redis-test "$jobs" "${@:2}"
}

export DEBIAN_FRONTEND=noninteractive
case $what in
  quick)
    step install_packages
    step has_what_the_list_says
    step read_sources
    step module
    for server in "${servers[@]}"; do step quick_redis_test "$server" "$@"; done
    ;;
  all)
    step make tour WERROR=ON
    step make test WERROR=ON
    step install_servers
    step has_what_the_list_says
    for server in "${servers[@]}"; do step redis_test "$server"; done
    ;;
  *) echo "in_system.sh: '$what' is neither all nor quick" >&2 && exit 2 ;;
esac
printf '%s\n' "${times[@]}"
[ $failed = no ]
