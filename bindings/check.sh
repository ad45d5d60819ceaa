#!/usr/bin/env bash
# Builds the npm package and the wheel, installs each in an empty folder, and tries them there: the example of its README,
# and all its tests, against the published packages that it adapts to. Needs node 22, npm and python3.
#
#   bindings/check.sh [node|python]        # both without an argument; `HOOKS_BIN` is the program to try, built if unset
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
if [ -z "${HOOKS_BIN:-}" ]; then
  (cd "$here" && cargo build --quiet --package tower-hooks-cli)
  target=$(cd "$here" && cargo metadata --format-version=1 --no-deps | python3 -c 'import json, sys; print(json.load(sys.stdin)["target_directory"])')
  HOOKS_BIN=$target/debug/hooks
fi
HOOKS_BIN=$(realpath "$HOOKS_BIN")
export HOOKS_BIN
export SQUAD_VECTORS=${SQUAD_VECTORS:-$here/../proofs/conformance/squad/vectors.jsonl}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_STATE_HOME=$work/state

# The first code block of a README in a language.
example() { awk -v start="\`\`\`$2" '$0 == start { inside = 1; next } inside && /^```/ { exit } inside' "$1"; }

# Runs an example, which has to print what its comments promise.
try() {
  local printed
  printed=$("$@")
  printf '%s\n' "$printed"
  grep -qxF 'sent by [EMAIL_REDACTED]' <<<"$printed"
  grep -qF '`git push --force` is blocked' <<<"$printed"
}

check_node() {
  mkdir "$work/node" "$work/try-node"
  tar -C "$here/node" --exclude node_modules --exclude dist --exclude '*.tgz' -cf - . | tar -C "$work/node" -xf -
  cd "$work/node"
  npm install --silent --no-audit --no-fund --no-package-lock
  npm pack --silent --pack-destination "$work" >/dev/null
  cd "$work/try-node"
  echo '{"type": "module", "private": true}' >package.json
  npm install --silent --no-audit --no-fund "$work"/tower-hooks-*.tgz
  # It has no dependencies: alone, it is the only package, and its example runs.
  [ "$(ls node_modules)" = tower-hooks ]
  example "$here/node/README.md" js >example.mjs
  try node example.mjs
  # Then the packages that its tests need, as in its own package.json.
  node -p 'Object.entries(JSON.parse(require("fs").readFileSync(process.argv[1])).devDependencies).map(([name, version]) => name + "@" + version).join("\n")' \
    "$work/node/package.json" | xargs -d '\n' npm install --silent --no-audit --no-fund
  cp -r "$here/node/test" "$here/node/tsconfig.json" .
  node_modules/.bin/tsc
  node --test "dist/test/*.test.js"
}

check_python() {
  python3 -m venv "$work/build"
  "$work/build/bin/pip" install --quiet --disable-pip-version-check build==1.6.1
  cp -r "$here/python" "$work/python"
  "$work/build/bin/python" -m build --wheel --outdir "$work" "$work/python" >/dev/null
  python3 -m venv "$work/venv"
  mkdir "$work/try-python"
  cd "$work/try-python"
  local python=$work/venv/bin/python wheel
  wheel=$(echo "$work"/tower_hooks-*.whl)
  "$python" -m pip install --quiet --disable-pip-version-check "$wheel"
  example "$here/python/README.md" python >example.py
  try "$python" example.py
  "$python" -m pip install --quiet --disable-pip-version-check "$wheel[test]"
  cp -r "$here/python/tests" .
  "$python" -m mypy --strict --package tower_hooks
  "$python" -W error::ResourceWarning -m unittest
}

case ${1:-both} in
  node) check_node ;;
  python) check_python ;;
  both)
    # At the same time, because both mostly wait. Not in a list of `&&`, where a failing command would not end them.
    check_node >"$work/node.log" 2>&1 &
    node=$!
    check_python >"$work/python.log" 2>&1 &
    python=$!
    failed=0
    wait "$node" || failed=1
    cat "$work/node.log"
    wait "$python" || failed=1
    cat "$work/python.log"
    if [ "$failed" = 1 ]; then echo 'bindings: failed' >&2; exit 1; fi
    ;;
  *) echo "unknown package \`$1\`; expected \`node\` or \`python\`" >&2; exit 2 ;;
esac
echo "bindings: all is well"
