// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
const assert = require("node:assert/strict");

// Texts that strangers may write into titles, names, terms and lines, and that errors repeat. A
// text that is executed or parsed as markup sets `pwned` or leaves an element in the page.
const HOSTILE = [
	"<img src=x onerror=\"window.pwned=1\">",
	"<script>window.pwned=1</script>",
	"\"><svg onload=window.pwned=1>",
	"</script><script>window.pwned=1</script>",
	"</title></textarea></option><iframe srcdoc='<script>parent.pwned=1</script>'>",
	"' onfocus=window.pwned=1 autofocus x='",
	"javascript:window.pwned=1",
	"data:text/html,<script>parent.pwned=1</script>",
	"{{constructor.constructor('window.pwned=1')()}} ${window.pwned=1} <%= pwned=1 %>",
	"&lt;b&gt; &#60;img src=x onerror=pwned=1&#62; %3Cb%3E \\u003cb\\u003e",
	"<!-- ]]> <math><mtext></table><mglyph><style><img src=x onerror=pwned=1>",
	"=cmd|' /C calc'!A0",
	"\u202egnp.exe \u2066abc\u2067",
	"e\u0301 \u200b\u200e\u061c zero",
];

// Expects that no text was executed or became an element, and that it is shown as typed, in the
// page or in a field.
async function stays_text(page, texts, what) {
	await page.until(`(shown => ${JSON.stringify(texts)}.every(text => shown.some(one => one.includes(text))))(
		[document.body.textContent, document.title, ...[...document.querySelectorAll("input, textarea")].map(e => e.value)])`, 20, `${what}: ${texts.join(" ")}`);
	assert.deepEqual(await page.ask(`(async () => ({
		pwned: window.pwned !== undefined,
		made: [...document.querySelectorAll("img[src=x], iframe, svg[onload], math, body script, [onerror], [onload], [onfocus], [autofocus], [href^='javascript:' i], [src^='javascript:' i], [href^='data:text'], #view style")].map(e => e.outerHTML),
		trusted: /require-trusted-types-for 'script'/.test((await fetch(location.pathname)).headers.get("Content-Security-Policy")),
	}))()`), { pwned: false, made: [], trusted: true }, what);
}

module.exports = { HOSTILE, stays_text };
