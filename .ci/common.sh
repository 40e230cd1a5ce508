# Common code of .ci/run, .ci/nightly and .ci/package: the root folder of the caller, a temporary folder, and new
# environments for a copy of the tracked files. Headings go to stderr.
set -euo pipefail
exec </dev/null

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
trap 'exit 130' INT TERM

export PIP_CACHE_DIR="${PIP_CACHE_DIR:-${XDG_CACHE_HOME:-${HOME:-$temporary}/.cache}/pip}"
export CI=true PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1 PIP_PROGRESS_BAR=off
export MPLBACKEND=Agg XDG_CACHE_HOME="$temporary/cache"
unset PYTHONPATH PYTHONHOME VIRTUAL_ENV PYTHONDONTWRITEBYTECODE
if [ -z "${STABLEGRAPH_DATA:-}" ] && [ -d "$root/../shared/data" ]; then
    STABLEGRAPH_DATA=$(cd "$root/../shared/data" && pwd)
    export STABLEGRAPH_DATA
fi

heading() { printf '\n== %s (%d s) ==\n' "$1" "$SECONDS" >&2; }

# Copy the tracked files, so that no untracked file is used and the working tree does not change.
copy_tracked_files() {
    heading "copy the tracked files"
    mkdir "$temporary/copy"
    git -c safe.directory='*' -C "$root" ls-files -z | tar -C "$root" --null -T - -cf - | tar -C "$temporary/copy" -xf -
    cd "$temporary/copy"
}

clean_path=$PATH
environment() { # environment NAME PYTHON: make a virtual environment and put it first in PATH
    "$2" -m venv "$temporary/$1"
    PATH="$temporary/$1/bin:$clean_path"
}

# python_of VERSION: print the path of a Python of that version (3.14t: without the GIL) that can make environments; it
# is searched in PATH and in the folder PYTHONS.
python_of() {
    local candidate code='import ensurepip, sys, sysconfig
print("%d.%d" % sys.version_info[:2] + "t" * bool(sysconfig.get_config_var("Py_GIL_DISABLED")))'
    for candidate in "python$1" "${PYTHONS:-${PYENV_ROOT:-${HOME:-}/.pyenv}/versions}/$1"*/bin/python; do
        if [ "$("$candidate" -c "$code" 2>/dev/null)" = "$1" ]; then
            command -v "$candidate"
            return
        fi
    done
    return 1
}
