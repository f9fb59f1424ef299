#!/bin/sh
# swagger.sh DIR: print one page with Swagger UI in it, taken from npm into DIR.
# Fails without npm or its registry; the caller then uses another page.

# SPDX-License-Identifier: GPL-3.0-or-later
set -eu

dir=$1
command -v npm >/dev/null || exit 1
ui=$dir/node_modules/swagger-ui-dist
[ -f "$ui/swagger-ui-bundle.js" ] || {
	mkdir -p "$dir"
	timeout 60 npm install --silent --no-audit --no-fund --ignore-scripts \
		--prefix "$dir" swagger-ui-dist@5.35.0 >/dev/null 2>&1
}
[ -f "$ui/swagger-ui-bundle.js" ]

printf '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
printf '<title>Dragoman API</title>\n<link rel="icon" href="data:,">\n<style>\n'
cat "$ui/swagger-ui.css"
printf '\n</style></head><body><div id="ui"></div>\n<script>\n'
sed 's,</script,<\\/script,g' "$ui/swagger-ui-bundle.js"
printf '\n</script>\n<script>\n'
printf 'SwaggerUIBundle({ url: "../openapi.json", dom_id: "#ui", validatorUrl: null });\n'
printf '</script></body></html>\n'
