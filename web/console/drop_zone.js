// SPDX-License-Identifier: GPL-3.0-or-later
// Makes an element accept dropped files.

/**
 * Calls `take` with the files that are dropped on an element.
 * @param {HTMLElement} it @param {(files: FileList) => void} take
 */
export function drop_zone(it, take) {
	const over = (/** @type {DragEvent} */ event, /** @type {boolean} */ is) => {
		event.preventDefault();
		it.classList.toggle("over", is);
	};
	it.classList.add("zone");
	it.ondragover = event => over(event, true);
	it.ondragleave = event => over(event, false);
	it.ondrop = event => {
		over(event, false);
		if (event.dataTransfer && event.dataTransfer.files.length)
			take(event.dataTransfer.files);
	};
	return it;
}
