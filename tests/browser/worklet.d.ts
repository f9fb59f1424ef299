// SPDX-License-Identifier: GPL-3.0-or-later
// Members of AudioWorkletGlobalScope, which TypeScript's library does not declare.
declare class AudioWorkletProcessor {
	readonly port: MessagePort;
}
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void;
declare const sampleRate: number;
