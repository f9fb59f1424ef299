// SPDX-License-Identifier: GPL-3.0-or-later
// Sound that a telephone call, an alarm or the system interrupted goes on when it can.

/**
 * Signs that a page is looked at again, or touched.
 * @param {() => void} run @param {AbortSignal} signal ends it
 */
export function on_signs(run, signal) {
	for (const sign of ["visibilitychange", "pointerup", "touchend", "click", "keydown"])
		document.addEventListener(sign, run, { signal, capture: true });
	addEventListener("pageshow", run, { signal });
}

/**
 * Resume a context whenever it stopped by itself: at once, and with each sign.
 * @param {AudioContext} context @param {() => boolean} wanted false: it stopped on purpose
 * @param {(interrupted: boolean) => void} told
 * @param {AbortSignal} signal ends it
 */
export function keep_running(context, wanted, told, signal) {
	const look = () => {
		const interrupted = wanted() && context.state !== "running" && context.state !== "closed";
		told(interrupted);
		if (interrupted)
			context.resume().catch(() => {});
	};
	context.addEventListener("statechange", look, { signal });
	on_signs(look, signal);
}
