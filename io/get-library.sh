# SPDX-FileCopyrightText: 2026 Toile contributors
# SPDX-License-Identifier: Apache-2.0
#
# What get-alembic and get-opensubdiv share, to be sourced: builds libraries from Debian's own
# tarballs as static ones, once per machine. The tarballs are fetched by apt through a private
# configuration derived from this machine's Debian entry: apt checks the archive's signature, these
# scripts check the pinned hashes, and neither root nor any change to the machine's own
# configuration is needed.
#
# The script that sources this sets
#   library version      name for people and the pinned version
#   root_variable        the environment variable that names a ready installation
#   wanted_suites        Debian suites of the sources
#   probe_package        a source package by which the right apt entry is known
# and defines
#   complete FOLDER      whether a folder holds the finished library
#   recipe               prints everything that shapes the binaries
#   fetch_and_build      calls fetch and build, and leaves the result in $work/prefix
# then calls get_library.

readonly common=(
    -G Ninja
    -DCMAKE_C_COMPILER=gcc
    -DCMAKE_CXX_COMPILER=g++
    -DCMAKE_BUILD_TYPE=Release
    -DCMAKE_CXX_STANDARD=17
    -DCMAKE_CXX_STANDARD_REQUIRED=ON
    -DCMAKE_POSITION_INDEPENDENT_CODE=ON
    -DCMAKE_CXX_VISIBILITY_PRESET=hidden
    -DCMAKE_VISIBILITY_INLINES_HIDDEN=ON
    -DCMAKE_INSTALL_LIBDIR=lib
    -DCMAKE_SKIP_RPATH=ON
    -DBUILD_SHARED_LIBS=OFF
    -DBUILD_TESTING=OFF
    -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF
)
flags="-ffp-contract=off -fvisibility-inlines-hidden"
[ -z "${TOILE_SANITIZE:-}" ] || flags+=" -fsanitize=$TOILE_SANITIZE -fno-omit-frame-pointer -g1"
readonly flags

# By these suite names a Debian entry is known.
readonly suites='bookworm|trixie|forky|(old)*stable|testing|sid|unstable'

repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
log=

say() { printf '%s: %s\n' "${library,,}" "$*" >&2; }

fail() {
    say "$@"
    [ -z "$log" ] || say "the log is $log"
    exit 1
}

deps_folder() {
    if [ -n "${TOILE_DEPS:-}" ]; then
        printf '%s\n' "$TOILE_DEPS"
    elif [ -n "${XDG_CACHE_HOME:-}" ]; then
        printf '%s/toile\n' "$XDG_CACHE_HOME"
    elif [ -n "${HOME:-}" ] && [ -d "$HOME" ] && [ -w "$HOME" ]; then
        printf '%s/.cache/toile\n' "$HOME"
    else
        printf '%s/build/deps\n' "$repo"
    fi
}

need_tools() {
    local tool
    for tool in gcc g++ cmake ninja apt-get tar sha256sum flock; do
        command -v "$tool" >/dev/null ||
            fail "'$tool' is missing; run ./tests/setup, or name a ready $library by" \
                "$root_variable."
    done
}

# The machine's own Debian entry in file $2 as a deb-src entry for the suite $1, in the same format
# and with the same address and keyring. Prints nothing when there is no such entry.
entry_from_stanza() {
    awk -v suite="$1" -v known="$suites" -v RS='' -v FS='\n' '
        function drop(s) { return s ~ /^(types|suites|components|enabled|architectures|targets)$/ }
        {
            types = ""; suites = ""; parts = ""; enabled = "yes"; rest = ""; field = ""
            for (i = 1; i <= NF; i++) {
                if ($i ~ /^#/) continue
                if ($i !~ /^[ \t]/) {
                    field = tolower($i); sub(/:.*/, "", field)
                    value = tolower($i); sub(/^[^:]*:/, "", value)
                } else value = tolower($i)
                if (field == "types") types = types " " value
                if (field == "suites") suites = suites " " value
                if (field == "components") parts = parts " " value
                if (field == "enabled") enabled = value
                if (!drop(field)) rest = rest $i "\n"
            }
            if ((types " ") !~ /[ \t]deb[ \t]/ || enabled ~ /no|false|off/) next
            if ((parts " ") !~ /[ \t]main[ \t]/) next
            if ((suites " ") !~ ("[ \t](" known ")[ \t]")) next
            printf "Types: deb-src\nSuites: %s\nComponents: main\n%s", suite, rest
            exit
        }' "$2"
}

entry_from_lines() {
    awk -v suite="$1" -v known="$suites" '
        /^[ \t]*deb[ \t]/ {
            sub(/#.*/, ""); options = ""
            if (match($0, /\[[^]]*\]/)) {
                options = substr($0, RSTART + 1, RLENGTH - 2)
                $0 = substr($0, 1, RSTART - 1) " " substr($0, RSTART + RLENGTH)
                gsub(/(arch|target|lang)[+-]?=[^ \t]*/, "", options)
            }
            if ($3 !~ ("^(" known ")$")) next
            if (($0 " ") !~ /[ \t]main[ \t]/) next
            if (options ~ /=/) options = "[" options "] "; else options = ""
            printf "deb-src %s%s %s main\n", options, $2, suite
            exit
        }' "$2"
}

# Writes the private source entries derived from the file $1; fails when it holds no Debian entry.
write_sources() {
    local suite
    rm -f "$apt/parts"/*
    for suite in "${wanted_suites[@]}"; do
        case $1 in
            *.sources) { entry_from_stanza "$suite" "$1" && echo; } >>"$apt/parts/toile.sources" ;;
            *) entry_from_lines "$suite" "$1" >>"$apt/parts/toile.list" ;;
        esac
    done
    grep -q deb-src "$apt/parts"/*
}

# Runs an apt command with the private configuration in $apt.
private_apt() {
    local command=$1
    shift
    LC_ALL=C "$command" -c "$apt/apt.conf" "$@"
}

write_apt_conf() {
    mkdir -p "$apt/parts" "$apt/lists/partial" "$apt/cache/archives/partial"
    cat >"$apt/apt.conf" <<END
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "$apt/parts";
Dir::State::lists "$apt/lists";
Dir::Cache "$apt/cache";
APT::Sandbox::User "";
Acquire::Languages "none";
Acquire::Retries "3";
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
END
}

# Reads the source indices through the first of the machine's entries that knows the library;
# entries of other publishers may bear Debian's suite names, so each one is tried.
prepare_apt() {
    local parts list file tried=0
    write_apt_conf
    eval "$(apt-config shell parts Dir::Etc::sourceparts/f list Dir::Etc::sourcelist/f)"
    for file in "$parts"/*.sources "$parts"/*.list "$list"; do
        [ -r "$file" ] && write_sources "$file" || continue
        tried=1
        private_apt apt-get -q update >>"$log" 2>&1 || continue
        private_apt apt-cache showsrc "$probe_package" 2>>"$log" | grep . >/dev/null && return
    done
    [ "$tried" -eq 0 ] ||
        fail "apt could not read the source index of ${wanted_suites[*]};" \
            "see that the network works, then try again."
    fail "this machine has no apt entry of Debian to derive a source entry from; install $library" \
        "$version yourself and name its folder by $root_variable."
}

# fetch <package> <upstream version> <sha256>: leaves the unpacked source in $work/<package>.
fetch() {
    local package=$1 wanted=$2 sum=$3 found full tarball
    found=$(private_apt apt-cache showsrc --only-source "$package" 2>>"$log" |
        sed -n 's/^Version: //p')
    full=$(grep -m 1 -E "^([0-9]+:)?${wanted//./\\.}-[^-]*$" <<<"$found") ||
        fail "the build is pinned to $package $wanted of ${wanted_suites[*]}, but found there is" \
            "${found//$'\n'/, }; change the pin at the head of $0."
    say "fetching $package $full"
    (cd "$work/source" && private_apt apt-get -q source --download-only --tar-only \
        "$package=$full" >>"$log" 2>&1) ||
        fail "apt could not fetch $package $full; see that the network works, then try again."
    tarball=$(ls "$work/source/${package}_${wanted}".orig.tar.*z)
    echo "$sum  $tarball" | sha256sum --check --status ||
        fail "the tarball of $package $wanted is not the one this build was made for" \
            "(its SHA-256 differs from the pinned $sum)."
    mkdir "$work/$package"
    tar -C "$work/$package" --strip-components=1 -xf "$tarball"
}

# Copies ninja's output to the log and reports every tenth of the way.
report_progress() {
    local line last=0 tenth
    while IFS= read -r line; do
        printf '%s\n' "$line" >>"$log"
        [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
        tenth=$((10 * BASH_REMATCH[1] / BASH_REMATCH[2]))
        [ "$tenth" -gt "$last" ] || continue
        last=$tenth
        say "building $1: $((10 * tenth)) %"
    done
}

# build <package> <CMake options...>: configures, builds and installs into $work/prefix.
build() {
    local package=$1
    shift
    cmake -S "$work/$package" -B "$work/$package/build" "${common[@]}" "$@" \
        -DCMAKE_CXX_FLAGS="$flags -ffile-prefix-map=$work=." \
        -DCMAKE_INSTALL_PREFIX="$work/prefix" -DCMAKE_PREFIX_PATH="$work/prefix" >>"$log" 2>&1 ||
        fail "CMake could not configure $package."
    ninja -C "$work/$package/build" -j "${TOILE_JOBS:-$(nproc)}" 2>&1 |
        report_progress "$package" ||
        fail "$package did not compile."
    cmake --install "$work/$package/build" >>"$log" 2>&1 || fail "$package could not be installed."
}

build_all() {
    work=$(mktemp -d -p "$deps")
    apt=$work/apt
    log=$deps/get-${library,,}.log
    : >"$log"
    trap 'rm -rf "$work"' EXIT
    trap 'exit 130' INT TERM HUP
    mkdir -p "$work/source" "$work/prefix/share/licenses"
    say "building $library $version into $prefix (once; a minute or two)"
    prepare_apt
    fetch_and_build
    complete "$work/prefix" || fail "the build ended without the library."
    mv -T "$work/prefix" "$prefix"
    rm -f "$log"
}

# Prints the folder of the library as the last line of standard output, after building it when it is
# not there yet.
get_library() {
    local ready=${!root_variable:-}
    if [ -n "$ready" ]; then
        complete "$ready" ||
            fail "$root_variable is $ready, which holds no static $library; correct it or unset it."
        printf '%s\n' "$ready"
        return
    fi
    need_tools
    deps=$(deps_folder)
    prefix=$deps/${library,,}-$version-$(recipe | sha256sum | cut -c1-10)
    if ! complete "$prefix"; then
        mkdir -p "$deps" || fail "cannot make the folder $deps; name another by TOILE_DEPS."
        exec 9>"$deps/.lock"
        flock -n 9 || { say "waiting for another build to end" && flock 9; }
        # under the lock, what an interrupted build left behind belongs to nobody
        rm -rf "$deps"/.build.*
        complete "$prefix" || build_all
    fi
    printf '%s\n' "$prefix"
}
