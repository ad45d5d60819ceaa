#!/usr/bin/env bash
# Checks the rules of a repository: the report as SARIF in $SARIF and as text in the log, then the table beside the rules.
set -u
files=()
while IFS= read -r file; do
    [ -n "$file" ] && files+=("$file")
done <<<"${FILES:-}"
hooks=${HOOKS:-hooks}
status=0
"$hooks" check --format sarif ${files[@]+"${files[@]}"} >"${SARIF:-hooks.sarif}" || status=$?
"$hooks" check ${files[@]+"${files[@]}"} || status=$?
if [ "${TEST:-true}" = true ] && [ "$status" = 0 ]; then
    for rules in "${files[@]:-hooks.yaml}"; do
        if [ -f "${rules%.yaml}.test.yaml" ]; then
            "$hooks" test --config "$rules" || status=$?
        fi
    done
fi
exit "$status"
