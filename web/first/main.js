// SPDX-License-Identifier: GPL-3.0-or-later
// The first page of a service without an account: it names the operator's command. The service
// answers with it at / and, by a redirect, at /console/.
import { byId } from "../shared/dom.js";
import { load } from "../shared/i18n.js";
import { offer_ui } from "../shared/ui.js";

await load("first");
offer_ui(byId("ui"));
