// SPDX-License-Identifier: GPL-3.0-or-later
// Makes and fills elements. Texts are inserted as text: no function here parses markup.

/**
 * Returns the element of this id, which must exist.
 * @param {string} id
 * @returns {any}
 */
export function byId(id) {
	const element = document.getElementById(id);
	if (!element)
		throw new Error(`no #${id}`);
	return element;
}

/**
 * Makes an element. Properties: "on..." is a listener; "class", "for", "aria-..." and "data-..."
 * are attributes; others are set as properties. Those that are null or false are left out.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, any> | null} [properties]
 * @param {...(Node | string | number | null | undefined | false)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function make(tag, properties, ...children) {
	const element = document.createElement(tag);
	for (const [name, value] of Object.entries(properties || {}))
		set(element, name, value);
	fill(element, ...children);
	return element;
}

/** @param {HTMLElement} element @param {string} name @param {any} value */
function set(element, name, value) {
	if (value === null || value === undefined || value === false)
		return;
	if (name.startsWith("on"))
		element.addEventListener(name.slice(2), value);
	else if (/^(class|for|role|lang|dir|aria-.*|data-.*|list)$/.test(name))
		element.setAttribute(name, value);
	else
		Object.assign(element, { [name]: value });
}

/**
 * Replaces the children of an element.
 * @param {Element} element
 * @param {...(Node | string | number | null | undefined | false)} children
 */
export function fill(element, ...children) {
	const all = children.filter(child => child !== null && child !== undefined && child !== false);
	element.replaceChildren(.../** @type {(Node | string)[]} */ (all.map(child =>
		child instanceof Node ? child : String(child))));
}

/** @param {string | HTMLElement} what an id, or an element @param {any} is */
export function show(what, is) {
	(typeof what === "string" ? byId(what) : what).hidden = !is;
}

/** @param {string | HTMLElement} what @param {BlobPart} text */
export function say(what, text) {
	const element = typeof what === "string" ? byId(what) : what;
	if (element.textContent !== text) // setting the same text would read it aloud again
		element.textContent = text;
}

/** @param {number} ms @returns {Promise<void>} */
export const nap = ms => new Promise(done => setTimeout(done, ms));

/**
 * Reads or stores a value in the browser, for this tab or for good. Some browsers store nothing.
 * @param {"tab" | "ever"} how @param {string} key
 * @param {string | null} [value] value to store; null: remove it
 * @returns {string | null}
 */
export function keep(how, key, value) {
	try {
		const store = how === "tab" ? sessionStorage : localStorage;
		if (value === null)
			store.removeItem(key);
		else if (value !== undefined)
			store.setItem(key, value);
		return store.getItem(key);
	} catch {
		return value || null;
	}
}

/** Downloads a text as a file. @param {string} name @param {string} type @param {BlobPart} text */
export function save(name, type, text) {
	const url = URL.createObjectURL(new Blob([text], { type }));
	make("a", { href: url, download: name }).click();
	setTimeout(() => URL.revokeObjectURL(url), 60000);
}

/** Keeps the screen on while the page is visible. The returned function ends this. */
export function stay_awake() {
	/** @type {WakeLockSentinel | null} */
	let lock = null;
	const stop = new AbortController();
	const ask = () => {
		if ("wakeLock" in navigator && !document.hidden)
			navigator.wakeLock.request("screen").then(one => {
				lock = one;
				if (stop.signal.aborted)
					one.release();
			}, () => {});
	};
	document.addEventListener("visibilitychange", ask, { signal: stop.signal });
	ask();
	return () => {
		stop.abort();
		if (lock)
			lock.release().catch(() => {});
	};
}
