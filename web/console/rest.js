// SPDX-License-Identifier: GPL-3.0-or-later
// All screens but the first ones: one part, as together they compress better.
import { draw_audit } from "./audit.js";
import { draw_new } from "./create.js";
import { draw_developer } from "./developer.js";
import { draw_event } from "./event.js";
import { draw_glossaries } from "./glossaries.js";
import { draw_keys } from "./keys.js";
import { draw_languages } from "./languages.js";
import { open_palette } from "./palette.js";
import { draw_team } from "./team.js";
import { draw_usage } from "./usage.js";
import { draw_voices } from "./voices.js";
import { draw_webhooks } from "./webhooks.js";

export { draw_audit, draw_developer, draw_event, draw_glossaries, draw_keys, draw_languages, draw_new, draw_team, draw_usage, draw_voices, draw_webhooks, open_palette };
