#!/bin/sh
# Check which folder may include which, which files may use each library, and where SQL may
# be. Run in the root of the tree; the script prints every breach and fails when there is
# one.

# SPDX-License-Identifier: GPL-3.0-or-later
exec awk '
# ---- the rules ----
BEGIN {
	below["lib/base"]      = "base"
	below["lib/db"]        = "base db"
	below["lib/store"]     = "base db store"
	below["lib/web"]       = "base db web store/accounts.h store/audit.h store/idempotent_responses.h"
	below["lib/work"]      = "base db work"
	below["lib/net"]       = "base net"
	below["lib/models"]    = "base net models"
	below["lib/media"]     = "base audio media"
	below["lib/blob"]      = "base blob net"
	below["lib/speech"]    = "base audio net media speech"
	below["lib/broadcast"] = "base broadcast net"
	below["lib/ingress"]   = "base audio media net ingress"
	below["lib/egress"]    = "base audio media net blob/sigv4.h egress"
	below["lib/service"]   = "base db store work blob media speech models broadcast net audio service"
	below["lib/protocol"]  = "base protocol"
	below["lib/rtc"]       = "base audio rtc"
	below["lib/livekit"]   = "base livekit"
	below["lib/audio"]     = "base audio"
	below["lib/pipeline"]  = "base audio protocol speech media pipeline"
	below["lib/cluster"]   = "base pipeline/thread_call.h cluster"
	below["lib/gateway"]   = "base cluster db store web service protocol pipeline gateway"
	below["lib/participant"] = "base audio protocol rtc livekit gateway session participant"
	below["lib/bridge"]    = "base audio broadcast gateway session bridge"
	below["lib/session"]   = "base db store audio protocol media speech service pipeline work gateway session"
	below["lib/channel"]   = "base cluster db store audio protocol media service pipeline gateway session channel ingress/ingress_wire.h egress/egress_wire.h"
	below["lib/server"]    = "base db store web work speech service protocol pipeline gateway session participant bridge channel cluster server"
	below["lib/serve"]     = "base db web service/workers.h serve"
	below["lib/doctor"]    = "base audio db store work blob net speech service cluster doctor rtc participant/ice_servers.h livekit/signal.h"
	all = "base db store web work blob media speech models broadcast net service protocol audio pipeline ingress egress rtc livekit gateway participant bridge session channel cluster server serve doctor"
	below["cgi-bin"] = all
	below["workers"] = all

	# library: the files that may use it, as patterns
	room["^fcgi"]           = "^lib/web/fcgi[.]c$"
	room["^sqlite3[.]h$"]   = "^lib/db/db_sqlite[.]c$"
	room["^libpq"]          = "^lib/db/libpq[.]h$"
	room["^jansson"]        = "^lib/base/json[.]c$"
	room["^curl/"]          = "^lib/net/libcurl[.]h$"
	room["^archive"]        = "^lib/base/libarchive[.]h$"
	room["^nats/"]          = "^lib/cluster/"
	room["^csv[.]h$"]       = "^lib/base/csv[.]c$"
	room["^libxml/"]        = "^lib/base/libxml[.]h$"
	room["^uriparser/"]     = "^lib/web/query[.]c$"
	room["^utf8proc[.]h$"]  = "^lib/base/text[.]c$"
	room["^ini[.]h$"]       = "^lib/base/conf[.]c$"
	room["^zlib[.]h$"]      = "^lib/base/hash[.]c$"
	room["^openssl/"]       = "^lib/base/(hash|base64|seal)[.]c$|^lib/rtc/(dtls|srtp)[.]c$"
	room["^lib(av|sw)"]     = "^lib/(media|ingress|egress)/|^workers/dragoman-media[.]c$"
	room["^srt/"]           = "^lib/ingress/srt[a-z_]*[.]c$"
	room["^espeak-ng/"]     = "^lib/speech/synth[^/]*[.]c$"
	room["^flite/"]         = "^lib/speech/synth_flite[.]c$"
	room["^pocketsphinx"]   = "^lib/speech/asr_[^/]*[.]c$"
	room["^sphinxbase/"]    = "^lib/speech/asr_[^/]*[.]c$"
	room["^speex/"]         = "^lib/audio/resample[.]c$"
	room["^(opus|ogg)/"]    = "^lib/audio/opus_[a-z]*[.]c$|^lib/egress/mix[.]c$"
	room["^lame/"]          = "^lib/audio/mp3_encoder[.]c$"
	room["^usrsctp[.]h$"]   = "^lib/rtc/data_channel[.]c$"
	room["^sonic[.]h$"]     = "^lib/audio/tempo[.]c$"
	room["^(fido|cbor)"]    = "^lib/service/passkey[.]c$"
	room["^qrencode[.]h$"]  = "^lib/base/qr[.]c$"
	room["^uthash[.]h$"]    = "^lib/base/table[.]h$|^lib/rtc/"
	room["^utlist[.]h$"]    = "^lib/gateway/ping_queue[.]c$"
	room["^seccomp[.]h$"]   = "^lib/base/child_sandbox[.]c$"
	room["^linux/landlock"] = "^lib/base/child_files[.]c$"
	room["^libwebsockets"]  = "^lib/(gateway/websocket|net/websocket_client)[.]c$"
	room["^uv[.]h$"]       = "^lib/gateway/websocket[.]c$"
	room["^malloc[.]h$"]    = "^workers/gateway[.]c$|^lib/web/fcgi[.]c$"

	# headers that are no library: C11, POSIX, and a few of Linux
	n = split("arpa/inet.h assert.h complex.h ctype.h dirent.h dlfcn.h errno.h fcntl.h " \
	    "fnmatch.h ftw.h glob.h ifaddrs.h inttypes.h libgen.h limits.h locale.h math.h net/if.h " \
	    "netdb.h netinet/in.h netinet/tcp.h poll.h pthread.h pwd.h sched.h search.h " \
	    "signal.h spawn.h stdalign.h stdarg.h stdatomic.h stdbool.h stddef.h stdint.h " \
	    "stdio.h stdlib.h stdnoreturn.h string.h strings.h sys/epoll.h sys/eventfd.h " \
	    "sys/file.h sys/inotify.h sys/mman.h sys/pidfd.h sys/prctl.h sys/queue.h " \
	    "sys/random.h " \
	    "sys/resource.h sys/sendfile.h sys/signalfd.h sys/socket.h sys/stat.h " \
	    "sys/statvfs.h sys/syscall.h sys/time.h sys/timerfd.h sys/timex.h sys/types.h " \
	    "sys/uio.h sys/un.h sys/utsname.h sys/wait.h syslog.h termios.h time.h " \
	    "unistd.h", known, " ")
	for (i = 1; i <= n; i++)
		of_system[known[i]] = 1
}

function breach(what) {
	printf "%s:%d: %s\n", FILENAME, FNR, what
	bad = 1
}

function layer(file) {
	if (file ~ /^lib\//)
		return substr(file, 1, index(substr(file, 5), "/") + 3)
	return substr(file, 1, index(file, "/") - 1)
}

# True when one word of the list is this header or its folder.
function may(list, header,    w, n, i) {
	n = split(list, w, " ")
	for (i = 1; i <= n; i++)
		if (header == w[i] || index(header, w[i] "/") == 1)
			return 1
	return 0
}

function third_party(header,    r) {
	if (header in of_system)
		return
	for (r in room)
		if (header ~ r) {
			if (FILENAME !~ room[r])
				breach("<" header "> is not at home here")
			return
		}
	breach("<" header "> has no room; give it one in tests/lint/layers.sh")
}

/^[ \t]*#[ \t]*include[ \t]*</ {
	third_party(substr($0, index($0, "<") + 1, index($0, ">") - index($0, "<") - 1))
}

/^[ \t]*#[ \t]*include[ \t]*"/ {
	split($0, part, "\"")
	mine = layer(FILENAME)
	if (!(mine in below))
		breach(mine " is no layer; give it a place in tests/lint/layers.sh")
	else if (!may(below[mine], part[2]))
		breach(mine " may not include \"" part[2] "\"")
}

/"[^"]*(SELECT |INSERT INTO |UPDATE [a-z]+ SET|DELETE FROM |CREATE TABLE|CREATE INDEX)/ {
	# a driver may call functions of its database, but may name no table except the
	# catalogue
	sub(/ FROM sqlite_master/, "")
	if (FILENAME !~ /^lib\/store\/[^\/]*[.]c$/ && FILENAME != "lib/work/queue.c" &&
	    !(FILENAME ~ /^lib\/db\// && $0 !~ / FROM | INTO |UPDATE /))
		breach("SQL stands in lib/store and lib/work/queue.c only")
}

/"(PRAGMA|BEGIN|COMMIT|ROLLBACK|SAVEPOINT|VACUUM)[ ;"]/ {
	if (FILENAME !~ /^lib\/db\//)
		breach("transactions and pragmas are the affair of lib/db")
}

END { exit bad }
' $(find lib cgi-bin workers -name '*.[ch]' | sort)
