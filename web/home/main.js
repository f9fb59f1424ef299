// The first page: where to go, and whether the service is well.
import { request } from "../shared/api.js";
import { byId, say } from "../shared/dom.js";
import { load, t } from "../shared/i18n.js";

await load("home");
try {
	await request("GET", "health", { open: true });
	say("health", t("home.well"));
} catch {
	say("health", t("home.ill"));
	byId("health").className = "bad";
}
