// SPDX-License-Identifier: GPL-3.0-or-later
// usage: dist.js SCHEMA BILL
//
// Checks a bill of materials by the schema of SPDX. Each id that is referred to must exist, and
// licences must be expressions with names of SPDX's list.
"use strict";
const fs = require("fs");
const Ajv = require("ajv");
const parse = require("spdx-expression-parse");

const [schema, bill] = process.argv.slice(2).map((f) => JSON.parse(fs.readFileSync(f, "utf8")));
const wrong = [];

delete schema.$schema; // the schema is of draft 7, whose meta-schema is not needed
const validate = new Ajv({ strict: false, allErrors: true }).compile(schema);
if (!validate(bill))
	wrong.push(...validate.errors.map((e) => `${e.instancePath} ${e.message}`));

const ids = [bill, ...bill.packages, ...bill.files].map((o) => o.SPDXID);
const known = new Set(ids);
if (known.size !== ids.length)
	wrong.push("an id is there twice");
for (const id of bill.relationships.flatMap((r) => [r.spdxElementId, r.relatedSpdxElement])
	.concat(bill.packages.flatMap((p) => p.hasFiles || [])))
	if (!known.has(id))
		wrong.push(`${id} is not there`);
for (const p of bill.packages)
	try {
		if (p.licenseDeclared !== "NOASSERTION")
			parse(p.licenseDeclared);
	} catch (e) {
		wrong.push(`${p.name}: ${e.message}`);
	}

for (const w of wrong)
	console.error(`sbom: ${w}`);
process.exit(wrong.length ? 1 : 0);
