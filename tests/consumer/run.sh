#!/usr/bin/env bash
# run.sh WAY: build and run the project of this folder the way named. In the environment: CMAKE, CXX, SOURCE and BUILD (the
# folders of hortus), VERSION.
set -euo pipefail
way=$1
here=$(cd "$(dirname "$0")" && pwd)
scratch=$BUILD/consumer
prefix=$scratch/moved
work=$scratch/$way
export DESTDIR=

fail() {
  echo "consumer, $way: $1" >&2
  exit 1
}

# One consumer is as good as another if its sources were compiled against the right version.
run_consumer() {
  local said
  said=$("$1" "$work/seen.hortus")
  echo "$said"
  [ "$said" = "hortus $VERSION: kept" ] || fail "expected: hortus $VERSION: kept"
}

# The program of the README says the same wherever it was compiled.
run_example() {
  local said
  said=$(cd "$work" && "$1")
  echo "$said"
  [ "$(head -n 2 <<<"$said")" = $'ada: may be there\nbob: surely not' ] || fail "the README's program says something else"
}

# run_families PROGRAM EXPECTED: the families at run time, and what becomes of a file of ribbon.
file_of_ribbon=$SOURCE/tests/golden/v1/ribbon/text.hortus
run_families() {
  local said
  said=$("$1" "$file_of_ribbon")
  echo "$said"
  [ "$said" = "$2" ] || fail "expected: $2"
}

# Ways that compile the library do with two families and one version of each kernel, which takes two fifths of the time. They are
# about what is linked and installed, which other families and other vector instructions do not change.
some_families='cuckoo;bloom'
compiled_soon=(-DHORTUS_FAMILIES="$some_families" -DCMAKE_CXX_FLAGS=-DHWY_COMPILE_ONLY_STATIC)
some_families_say="bloom
cuckoo
'$file_of_ribbon': this library was built without the family 'ribbon': its HORTUS_FAMILIES are bloom, cuckoo"

# Build type None: not optimised, and without debug information, which nobody would read.
configure() {
  "$CMAKE" -S "$here" -B "$work" -DCMAKE_CXX_COMPILER="$CXX" -DCMAKE_BUILD_TYPE=None \
    -DREADME_EXAMPLE="$SOURCE/examples/readme.cpp" "$@"
}

build_and_run() {
  configure "$@"
  "$CMAKE" --build "$work"
  run_consumer "$work/consumer"
  run_example "$work/seen"
}

# refused REASON OPTION...: configuring hortus itself with these options must fail, for this reason.
refused() {
  local reason=$1 said
  shift
  rm -rf "$work/refused"
  if said=$("$CMAKE" -S "$SOURCE" -B "$work/refused" -DCMAKE_CXX_COMPILER="$CXX" "$@" 2>&1); then
    fail "accepted: $*"
  fi
  tr -s ' \n' ' ' <<<"$said" | grep -q "$reason" || fail "$*: refused for another reason: $said"
}

# by_pkg_config PREFIX: without CMake, with what the .pc of an installed tree says.
by_pkg_config() {
  export PKG_CONFIG_PATH
  PKG_CONFIG_PATH=$(dirname "$(find "$1" -name hortus.pc)")
  [ "$(pkg-config --modversion hortus)" = "$VERSION" ] || fail "pkg-config says $(pkg-config --modversion hortus)"
  # Here the headers are not a system's, so what they warn of is the user's to read: there should be nothing.
  read -ra flags <<<"$(pkg-config --cflags hortus)"
  read -ra libraries <<<"$(pkg-config --libs hortus)"
  "$CXX" -std=c++20 -O2 -Wall -Wextra -Wconversion -Wshadow "${flags[@]}" "$here/main.cpp" "$here/other.cpp" \
    -o "$work/consumer" "${libraries[@]}" 2>"$work/warnings" || fail "$(cat "$work/warnings")"
  [ ! -s "$work/warnings" ] || fail "$(cat "$work/warnings")"
  run_consumer "$work/consumer"
  # And the README's own words, but for the compiler.
  local line
  line=$(sed -n 's/^    g++ \(.*pkg-config.*\)$/\1/p' "$SOURCE/README.md")
  [ "$(wc -l <<<"$line")" = 1 ] && [ -n "$line" ] || fail "the README should have one line '    g++ ... pkg-config ...'"
  cp "$SOURCE/examples/readme.cpp" "$work/seen.cpp"
  (cd "$work" && eval "\"\$CXX\" $line") || fail "the README's line does not compile its program: g++ $line"
  run_example "$work/seen"
}

rm -rf "$work"
mkdir -p "$work"
case $way in
  install)
    rm -rf "$prefix"
    "$CMAKE" --install "$BUILD" --prefix "$work/first"
    mv "$work/first" "$prefix"
    ! grep -rlF -e "$SOURCE" -e "$work" --include='*.cmake' --include='*.pc' "$prefix" ||
      fail "the files above name a folder of the machine that built them"
    ;;
  find_package)
    build_and_run -DCMAKE_PREFIX_PATH="$prefix" -DHORTUS_WANTED="${VERSION%.*}"
    run_families "$work/families" "$(sed -n 's/^HORTUS_FAMILY(\([a-z_0-9]*\),.*/\1/p' "$SOURCE/include/hortus/any/families.def")
a file of ribbon"
    ;;
  wrong_version)
    for wanted in 99.0 "${VERSION%%.*}.99" 0.0; do # newer ones, and one whose binary interface may be another
      if said=$(configure -DCMAKE_PREFIX_PATH="$prefix" -DHORTUS_WANTED="$wanted" 2>&1); then
        fail "version $wanted was asked for and $VERSION accepted"
      fi
      grep -qF "version: $VERSION" <<<"$said" || fail "refused version $wanted for another reason: $said"
    done
    ;;
  too_old)
    # refuses WHAT COMMAND...: a CMake that ends with this sentence.
    refuses() {
      local what=$1
      shift
      if said=$("$@" 2>&1); then fail "accepted where it should say: $what"; fi
      said=$(tr -s ' \n' ' ' <<<"$said") # CMake breaks lines
      grep -qF "$what" <<<"$said" || fail "should say: $what; says: $said"
    }
    # What CMake is told of the compiler, it does not find out.
    for compiler in 'GNU 10.5.0 g++' 'Clang 12.0.1 clang'; do
      read -r id number called <<<"$compiler"
      pretended=(-DCMAKE_CXX_COMPILER_ID_RUN=1 -DCMAKE_CXX_COMPILER_FORCED=1 -DCMAKE_CXX_COMPILER_ID="$id"
        -DCMAKE_CXX_COMPILER_VERSION="$number")
      right="$(basename "$CXX") is $called $number. Another"
      refuses "$right" configure -DCMAKE_PREFIX_PATH="$prefix" -DHORTUS_WANTED="$VERSION" "${pretended[@]}"
      grep -qF 'hortus needs g++ 11 or clang 13, or later' <<<"$said" || fail "should say what is needed: $said"
      rm -r "$work"
      refuses "$right" configure -DHORTUS_SOURCE="$SOURCE" "${pretended[@]}"
      rm -r "$work"
    done
    # The libraries of this build, but for one, which is older.
    known=()
    while IFS= read -r entry; do known+=("-D$entry"); done \
      < <(grep -E '^(hwy_DIR|CLI11_DIR|fmt_DIR|nlohmann_json_DIR|XXHASH_INCLUDE_DIR):' "$BUILD/CMakeCache.txt")
    # That the others are nowhere else is said when the compiler was found.
    printf 'set(CMAKE_FIND_USE_%s_PATH OFF)\n' CMAKE_SYSTEM SYSTEM_ENVIRONMENT >"$work.cmake"
    libraries=('hwy 0.17.0 Highway 1.0')
    [ ! -x "$BUILD/hortus" ] || libraries+=('CLI11 1.9.1 CLI11 2.0' 'fmt 7.1.3 fmt 8.0' 'nlohmann_json 3.8.0 nlohmann-json 3.9')
    for library in "${libraries[@]}"; do
      read -r package number called least <<<"$library"
      old=$work/old/$package
      mkdir -p "$old"
      : >"$old/${package}Config.cmake"
      printf '%s\n' "set(PACKAGE_VERSION $number)" 'if(NOT PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION)' \
        '  set(PACKAGE_VERSION_COMPATIBLE TRUE)' 'endif()' >"$old/${package}ConfigVersion.cmake"
      refuses "hortus needs $called $least or later" "$CMAKE" -S "$SOURCE" -B "$work/$package" -DHORTUS_TESTS=OFF \
        -DCMAKE_CXX_COMPILER="$CXX" "${known[@]}" -D"${package}_DIR=$old" -DCMAKE_PROJECT_INCLUDE="$work.cmake"
      grep -qF "there is $number." <<<"$said" || fail "should say that there is $package $number: $said"
    done
    ;;
  pkg_config) by_pkg_config "$prefix" ;;
  add_subdirectory)
    build_and_run -DHORTUS_SOURCE="$SOURCE" "${compiled_soon[@]}"
    run_families "$work/families" "$some_families_say"
    ;;
  wrong_families)
    refused 'there is no family .blom.' -DHORTUS_FAMILIES='bloom;blom'
    refused 'names no family' -DHORTUS_FAMILIES=
    refused 'HORTUS_TESTS needs all families' -DHORTUS_FAMILIES=bloom -DHORTUS_TESTS=ON
    ;;
  shared_library)
    "$CMAKE" -S "$SOURCE" -B "$work/hortus" -DCMAKE_CXX_COMPILER="$CXX" -DCMAKE_BUILD_TYPE=None -DBUILD_SHARED_LIBS=ON \
      -DHORTUS_BUILD_COMMAND=OFF "${compiled_soon[@]}"
    "$CMAKE" --build "$work/hortus"
    "$CMAKE" --install "$work/hortus" --prefix "$work/installed"
    build_and_run -DCMAKE_PREFIX_PATH="$work/installed"
    run_families "$work/families" "$some_families_say"
    # Programs ask the loader for this name: until 1.0 a library of another minor number is another library.
    readelf -d "$(find "$work/installed" -name libhortus.so)" | grep -qF "soname: [libhortus.so.${VERSION%.*}]" ||
      fail "the shared library should be called libhortus.so.${VERSION%.*}"
    LD_LIBRARY_PATH=$(dirname "$(find "$work/installed" -name libhortus.so)")
    export LD_LIBRARY_PATH
    by_pkg_config "$work/installed"
    ! pkg-config --libs hortus | grep -q hwy || fail "a shared library brings Highway along: $(pkg-config --libs hortus)"
    ;;
  command)
    said=$("$prefix/bin/hortus" --version)
    grep -qwF "$VERSION" <<<"$said" || fail "hortus --version says '$said', not $VERSION"
    # Beside it, the pages and completions that this very command prints.
    commands=$("$prefix/bin/hortus" man --list)
    [ -n "$commands" ] || fail "hortus man --list names no command"
    for command in '' $commands; do
      "$prefix/bin/hortus" man $command | cmp - "$prefix/share/man/man1/hortus${command:+-$command}.1" ||
        fail "the man page of '$command' is not installed, or is of another hortus"
    done
    [ "$(find "$prefix/share/man" -type f | wc -l)" -eq $(($(wc -w <<<"$commands") + 1)) ] || fail "too many man pages"
    for file in bash:bash-completion/completions/hortus zsh:zsh/site-functions/_hortus fish:fish/vendor_completions.d/hortus.fish; do
      "$prefix/bin/hortus" completion "${file%%:*}" | cmp - "$prefix/share/${file#*:}" ||
        fail "the completion of ${file%%:*} is not installed, or is of another hortus"
    done
    ;;
  *) fail "no such way" ;;
esac
