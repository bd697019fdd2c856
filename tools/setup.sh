#!/bin/sh
# Make .venv with the pinned packages of a requirements file; at once where that is already so.
# usage: sh tools/setup.sh requirements.txt
set -eu
cd "$(dirname "$0")/.."
requirements=$1
stamp=.venv/installed-$requirements

if [ -x .venv/bin/python ] && .venv/bin/python -c '' 2>/dev/null && cmp -s "$requirements" "$stamp"; then
    exit 0
fi

suits() {
    "$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null
}

if [ ! -x .venv/bin/python ] || ! suits .venv/bin/python; then
    python=
    for candidate in ${PYTHON:-} python3 python3.13 python3.12 python3.11; do
        if suits "$candidate"; then
            python=$candidate
            break
        fi
    done
    if [ -z "$python" ]; then
        echo "Elenchus needs Python 3.11, 3.12 or 3.13, and found none of them on PATH." >&2
        exit 1
    fi
    if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
        package=$("$python" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
        if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
            echo "Installing $package, which Debian keeps apart from Python ..."
            apt-get update -qq
            DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$package" >/dev/null
        else
            echo "Python's venv module is missing. Run: sudo apt-get install $package" >&2
            exit 1
        fi
    fi
    rm -rf .venv
    "$python" -m venv .venv
fi

echo "Installing the packages of $requirements into .venv (once, a minute or two) ..."
.venv/bin/python -m pip install -q -q --disable-pip-version-check --no-compile -r "$requirements"
# Also where PYTHONDONTWRITEBYTECODE is set: else every start would compile all packages again. A package may carry
# files that are no Python of this version; those are left alone.
packages=$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
.venv/bin/python -m compileall -q -q -j 0 "$packages" || true
cp "$requirements" "$stamp"
