// SPDX-License-Identifier: GPL-3.0-or-later
// What an AudioWorkletGlobalScope has; TypeScript's library knows nothing of it.
declare class AudioWorkletProcessor {
	readonly port: MessagePort;
}
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void;
declare const sampleRate: number;
