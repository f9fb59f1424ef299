// SPDX-License-Identifier: GPL-3.0-or-later
/* Five calls: read the caller; create, read and delete a glossary; list built-in voices. */
import { Configuration, GlossariesApi, KeysApi, VoicesApi, CreateGlossaryRequestFromJSON } from "./index";

async function main() {
	const conf = new Configuration({ basePath: process.env.BASE_URL, accessToken: process.env.API_KEY });
	const glossaries = new GlossariesApi(conf);

	await new KeysApi(conf).getCaller();
	const createGlossaryRequest = CreateGlossaryRequestFromJSON({ data: {
		name: "TypeScript terms", glossary_type: "translation", source_lang: "en", target_lang: "es" } });
	const { data: { glossaryId } } = await glossaries.createGlossary({ createGlossaryRequest });
	const { data: { name } } = await glossaries.getGlossary({ glossaryId });
	if (name !== "TypeScript terms")
		throw new Error(`the name is ${name}`);
	await new VoicesApi(conf).listBuiltinVoices();
	await glossaries.deleteGlossary({ glossaryId });
}

main().catch(error => {
	console.error(error);
	process.exit(1);
});
