# Dragoman.  `make run` shows it at work, `make check` tests it; README.md tells more.

CC      ?= cc
BUILD   ?= build
PREFIX  ?= $(HOME)/dragoman
CFLAGS  ?= -O2 -g
WARN     = -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	   -Wpointer-arith -Wcast-qual -Wwrite-strings -Wformat=2 -Wvla -Wundef \
	   -Wno-missing-field-initializers
PKGS     = fcgi sqlite3 libxml-2.0 libcurl openssl jansson libjwt zlib libavformat \
	   libavcodec libavfilter libswresample libavutil libutf8proc liburiparser \
	   inih espeak-ng libseccomp
STRICT   = -std=c11 -D_GNU_SOURCE $(WARN) $(WERROR) -Ilib $(shell pkg-config --cflags $(PKGS))
LINK     = -Wl,--as-needed $(LDFLAGS)
LIBS     = $(shell pkg-config --libs $(PKGS)) -lm

LIB_O   := $(patsubst %.c,$(BUILD)/%.o,$(wildcard lib/*/*.c))
CGI     := $(patsubst cgi-bin/%.c,$(BUILD)/cgi-bin/%.fcgi,$(wildcard cgi-bin/*.c))
WORKERS := $(patsubst workers/%.c,$(BUILD)/bin/%,$(wildcard workers/*.c))
TESTS   := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(wildcard tests/unit/test_*.c))

all: $(CGI) $(WORKERS)

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(STRICT) $(CFLAGS) -MMD -MP -c $< -o $@

$(BUILD)/libdragoman.a: $(LIB_O)
	@rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/cgi-bin/%.fcgi: $(BUILD)/cgi-bin/%.o $(BUILD)/libdragoman.a
	$(CC) $(CFLAGS) $(LINK) $^ $(LIBS) -o $@

$(BUILD)/bin/%: $(BUILD)/workers/%.o $(BUILD)/libdragoman.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LINK) $^ $(LIBS) -o $@

$(BUILD)/tests/%: tests/unit/%.c $(BUILD)/libdragoman.a
	@mkdir -p $(@D)
	$(CC) $(STRICT) $(CFLAGS) -I. -MMD -MP $(LINK) $^ \
		$(shell pkg-config --cflags --libs check) $(LIBS) -o $@

unit: all $(TESTS)
	@set -e; for t in $(TESTS); do $$t; done

clean:
	rm -rf $(BUILD)

.PHONY: all unit clean
.SECONDARY:
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
