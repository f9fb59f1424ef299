// SPDX-License-Identifier: GPL-3.0-or-later
// Resumes sound that a telephone call, an alarm or the system interrupted.

/**
 * Calls `run` when the page becomes visible or is touched.
 * @param {() => void} run @param {AbortSignal} signal ends it
 */
export function on_signs(run, signal) {
	for (const sign of ["visibilitychange", "pointerup", "touchend", "click", "keydown"])
		document.addEventListener(sign, run, { signal, capture: true });
	addEventListener("pageshow", run, { signal });
}

/**
 * Resumes a context that stopped by itself: at once, and at each sign of on_signs().
 * @param {AudioContext} context @param {() => boolean} wanted returns false after a stop on purpose
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
