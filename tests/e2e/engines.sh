# SPDX-License-Identifier: GPL-3.0-or-later
# Functions of tests/e2e/run for --engines.  $dir and $program are set.

# engines_up: start tests/engine-server.c, which clones voices, speaks, recognizes and
# translates. Exports E2E_ENGINES, its address, and adds the instance's settings to
# `settings`.
engines_up() {
	start sh -c "tail -f /dev/null | exec '${program%/*}/engine-server' >'$dir/engines'"
	server_of_engines=$!
	while [ ! -s "$dir/engines" ]; do sleep 0.05; done
	E2E_ENGINES=http://127.0.0.1:$(cat "$dir/engines")
	export E2E_ENGINES
	settings="$settings --set engine.allow_private=on
		--set engine.gpu.kind=openai --set engine.gpu.url=$E2E_ENGINES
		--set engine.gpu.key=test-key --set engine.eleven.kind=elevenlabs
		--set engine.eleven.url=$E2E_ENGINES --set engine.eleven.key=test-key
		--set engine.ears.kind=openai --set engine.ears.url=$E2E_ENGINES
		--set engine.ears.key=test-key --set engine.ears.model=scripted
		--set engine.mind.kind=openai_chat --set engine.mind.url=$E2E_ENGINES
		--set engine.mind.key=test-key --set engine.mind.model=scripted
		--set speech.asr=script,ears --set speech.mt=script,mind
		--set speech.clone=gpu --set speech.sample=gpu --set speech.external=eleven
		--set speech.tts=eleven,gpu"
}
