# SPDX-License-Identifier: GPL-3.0-or-later
# Starts the servers for bench/peers/run, in bash: the instance, its floor (programs that do
# nothing) and its peers (PHP, Python, Node).  It needs $root, $BUILD and $tmp; call
# servers_begin first.
#
# home[NAME] folder of a server that is not the instance at[NAME] its port group[NAME]
# process groups of the web server and of what is behind it

dir=$tmp/d
declare -A home at group
as=()
server='' key='' account=''

servers_begin() {
	[ "$(id -u)" -ne 0 ] || as=(setpriv --reuid=www-data --regid=www-data --init-groups)
	trap servers_finish EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
}

servers_finish() {
	local status=$?
	trap - EXIT INT TERM
	[ "$status" -eq 0 ] || [ "$status" -gt 128 ] || tell_logs >&2
	stop_all
	"$root/tests/instance" down --dir "$dir" || status=1
	rm -rf "$tmp"
	exit "$status"
}

# Print the end of each log after a failure, because the folders are deleted.
tell_logs() {
	local of log
	for of in "$dir" "${home[@]}"; do
		for log in "$of"/var/log/*; do
			[ ! -s "$log" ] || tail -v -n 5 "$log"
		done
	done
}

# A port below the range that the system uses for outgoing connections.
next_port() {
	while port=$((port + 1)) && (: <>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do
		:
	done
}
port=${PORT_FROM:-$((20000 + $(od -An -N2 -tu2 /dev/urandom) % 11000))}

# own NAME: make an empty folder for a server.
own() {
	home[$1]=$tmp/$1
	mkdir -p "${home[$1]}"/{cgi-bin,share/errors} "${home[$1]}"/var/{tmp,state,log,instance}
	[ ${#as[@]} -eq 0 ] || chown -R www-data: "${home[$1]}"
}

# launch NAME COMMAND...: run in the background, as the leader of a process group.
launch() {
	local name=$1
	shift
	setsid "${as[@]}" "$@" </dev/null >>"${home[$name]}/var/log/out" 2>&1 &
	group[$name]=${group[$name]:+${group[$name]},}$!
}

# Stop all servers except the instance.  uvicorn may hang after a second signal, or after
# the first.
stop_all() {
	local pids i
	unset 'group[dragoman]' 'group[python, bare]' 'group[node, bare]'
	pids=${group[*]}
	pids=${pids//,/ }
	group=()
	for i in $pids; do
		kill -s TERM -- "-$i" 2>/dev/null || true
	done
	for ((i = 0; i < 60; i++)); do
		kill -s 0 $pids 2>/dev/null || break
		sleep 0.05
	done
	for i in $pids; do
		kill -s KILL -- "-$i" 2>/dev/null || true
		wait "$i" 2>/dev/null || true
	done
}

# --- the instance -------------------------------------------------------------

instance_up() {
	"$root/tests/instance" up --server "$server" --port "$port_of_instance" --dir "$dir" \
		--set rate.public_per_min=1000000000 --set plan.requests_per_min=1000000000 \
		--set plan.glossaries=0 "$@"
	group[dragoman]=$(sed -n "s/^\([0-9]*\) .* $server\$/\1/p" "$dir/var/instance/pids")
	at[dragoman]=$port_of_instance
}

# Start a new instance with ROWS rows of every kind.
instance_fill() {
	local set=(-cmd '.parameter init' -cmd 'PRAGMA temp_store = MEMORY') p
	next_port
	port_of_instance=$port
	instance_up >"$tmp/account"
	key=$(jq -r .api_key "$tmp/account")
	account=$(jq -r .user_id "$tmp/account")
	"$root/tests/instance" down --dir "$dir"
	for p in n="$1" from=0 to="$1" now="$(date +%s000000)" account="\"'$account'\""; do
		set+=(-cmd ".parameter set \$${p%%=*} ${p#*=}")
	done
	sqlite3 -bail "${set[@]}" "$dir/var/dragoman.db" <"$root/bench/fill.sql" >/dev/null
	sql "PRAGMA journal_mode = WAL" >/dev/null
	event=$(sql 'SELECT event FROM heard LIMIT 1')
	sql "UPDATE events SET access_code = 'benchmark' WHERE id = '$event'"
	chown --reference="$dir/var" "$dir"/var/dragoman.db*
	instance_up --keep >/dev/null
}

# The same instance without the web server.
serve_up() {
	next_port
	at[serve]=$port
	own serve
	launch serve "$dir/bin/dragoman-serve" --listen "127.0.0.1:$port"
}

sql() {
	sqlite3 "$dir/var/dragoman.db" "$1"
}

# --- web servers of the others ------------------------------------------------

# floor_up NAME: start the same web server with the same configuration, but with programs
# that do nothing.
floor_up() {
	local name=$1 program f
	own "$name"
	next_port
	at[$name]=$port
	mkdir -p "${home[$name]}/etc"
	for program in "$dir"/cgi-bin/*.fcgi; do
		cp "$BUILD/bench/floor" "${home[$name]}/cgi-bin/${program##*/}"
	done
	cp "$BUILD/bench/peers/sink" "${home[$name]}/cgi-bin/blobs.fcgi"
	[ "$name" = floor ] || floor_answers "$name"
	for f in "etc/$server.conf" "var/instance/$server.conf"; do
		sed "s|$dir|${home[$name]}|g; s|127.0.0.1:$port_of_instance|127.0.0.1:$port|g
			s|^server.port = .*|server.port = $port|" "$dir/$f" >"${home[$name]}/$f"
	done
	case $server in
	lighttpd) launch "$name" lighttpd -D -f "${home[$name]}/var/instance/lighttpd.conf" ;;
	apache) launch "$name" apache2 -D FOREGROUND -f "${home[$name]}/var/instance/apache.conf" ;;
	esac
}

# Give the floor's programs an answer of the instance, to measure the web server's cost of
# passing it on.
floor_answers() {
	local what path header program
	while IFS=$'\t' read -r what _ _ path header _; do
		case $what in
		read) program=glossaries ;;
		'public view') program=listeners ;;
		*) continue ;;
		esac
		curl -sS -m 10 -i -H "$header" "http://127.0.0.1:$port_of_instance$path" |
			sed -E '1d; /^(Date|Server|Connection|Keep-Alive):/d' \
				>"${home[$1]}/cgi-bin/$program.fcgi.answer"
	done < <(read_cases | awk -F '\t' '!seen[$1]++')
}

# web NAME php | web NAME PORT: start a web server in front of PHP-FPM, or of an HTTP
# server.
web() {
	next_port
	at[$1]=$port
	"web_$server" "$@" >"${home[$1]}/web.conf"
	case $server in
	lighttpd) launch "$1" lighttpd -D -f "${home[$1]}/web.conf" ;;
	apache) launch "$1" apache2 -D FOREGROUND -f "${home[$1]}/web.conf" ;;
	esac
}

web_lighttpd() {
	cat <<-CONF
		server.modules = ("mod_accesslog", "mod_rewrite", "mod_fastcgi", "mod_proxy")
		server.document-root = "${home[$1]}"
		server.bind = "127.0.0.1"
		server.port = ${at[$1]}
		server.errorlog = "${home[$1]}/var/log/error.log"
		server.upload-dirs = ("${home[$1]}/var/tmp")
		server.max-fds = 2048
		server.stream-response-body = 1
		accesslog.filename = "${home[$1]}/var/log/access.log"
		accesslog.format = "%h %t \"%m %U %H\" %s %b"
	CONF
	if [ "$2" = php ]; then
		cat <<-CONF
			url.rewrite-once = ("^/[^?]*(\\?.*)?\$" => "/peer.php\$1")
			fastcgi.server = (".php" => (("socket" => "${home[$1]}/php.sock")))
		CONF
	else
		echo "proxy.server = (\"\" => ((\"host\" => \"127.0.0.1\", \"port\" => $2)))"
	fi
}

web_apache() {
	local m
	for m in mpm_event authz_core mime setenvif dir proxy proxy_fcgi proxy_http; do
		echo "LoadModule ${m}_module /usr/lib/apache2/modules/mod_$m.so"
	done
	cat <<-CONF
		ServerRoot "${home[$1]}"
		ServerName 127.0.0.1
		Listen 127.0.0.1:${at[$1]}
		DefaultRuntimeDir "${home[$1]}/var/instance"
		PidFile "${home[$1]}/var/instance/apache.pid"
		Mutex "file:${home[$1]}/var/instance" default
		ErrorLog "${home[$1]}/var/log/error.log"
		LogFormat "%h %t \"%m %U %H\" %>s %B %D" short
		CustomLog "${home[$1]}/var/log/access.log" short
		TypesConfig /dev/null
		StartServers 1
		ServerLimit 4
		ThreadsPerChild 64
		MinSpareThreads 1
		MaxSpareThreads 256
		MaxRequestWorkers 256
		DocumentRoot "${home[$1]}"
	CONF
	if [ "$2" = php ]; then
		cat <<-CONF
			SetEnvIf Request_URI ^ ap_trust_cgilike_cl
			<Directory "${home[$1]}">
				Require all granted
				AllowOverride None
				CGIPassAuth On
				FallbackResource /peer.php
			</Directory>
			<FilesMatch "\\.php\$">
				SetHandler "proxy:unix:${home[$1]}/php.sock|fcgi://php"
			</FilesMatch>
		CONF
	else
		echo "ProxyPass \"/\" \"http://127.0.0.1:$2/\""
	fi
}

# --- the peers ----------------------------------------------------------------

base() {
	echo "http://127.0.0.1:$port_of_instance"
}

php_up() {
	local mine=${home[php]}
	cp "$root/bench/peers/peer.php" "$mine/"
	cat >"$mine/fpm.conf" <<-CONF
		[global]
		error_log = $mine/var/log/fpm.log
		daemonize = no
		[peer]
		listen = $mine/php.sock
		pm = static
		pm.max_children = 8
		env[PEER_DB] = $dir/var/dragoman.db
		env[PEER_BASE] = $(base)
		env[PEER_KEY] = $key
	CONF
	launch php php-fpm8.2 -F -y "$mine/fpm.conf" -d opcache.validate_timestamps=0
	web php php
}

# Allow the Python processes to enter the folder, because they open the same database.
python_up() {
	next_port
	at["python, bare"]=$port
	cp "$root/bench/peers/peer.py" "${home[python]}/"
	launch python env PEER_DB="$dir/var/dragoman.db" PEER_BASE="$(base)" PEER_KEY="$key" \
		uvicorn --app-dir "${home[python]}" --workers 2 --port "$port" --loop uvloop \
		--http httptools --no-access-log --log-level warning peer:app
	group["python, bare"]=${group[python]}
	wait_for 'python, bare'
	web python "$port"
}

node_up() {
	[ -d "$BUILD/npm-peers/node_modules/better-sqlite3" ] || return 0
	next_port
	at["node, bare"]=$port
	cp "$root/bench/peers/peer.js" "${home[node]}/"
	cp -r "$BUILD/npm-peers/node_modules" "${home[node]}/"
	launch node env PEER_DB="$dir/var/dragoman.db" PEER_BASE="$(base)" PEER_KEY="$key" \
		PEER_PORT="$port" node "${home[node]}/peer.js"
	group["node, bare"]=${group[node]}
	wait_for 'node, bare'
	web node "$port"
}

peers_up() {
	local name
	for name in php python node; do
		own "$name"
		"${name}_up"
	done
}

# wait_for NAME: wait until the server answers an unknown path as the instance does.
wait_for() {
	local i
	for ((i = 0; i < 200; i++)); do
		[ "$(curl -s -o /dev/null -w '%{http_code}' -m 5 -H "Authorization: Bearer $key" \
			"http://127.0.0.1:${at[$1]}/saas/glossaries")" != 200 ] || return 0
		sleep 0.05
	done
	echo "run: $1 does not answer" >&2
	exit 1
}
