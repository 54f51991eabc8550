#!/usr/bin/env bash
#
# Builds Citus and starts a cluster of it for the tests: a coordinator and two workers on this machine.
#
#   scripts/citus.sh SOURCE_DIR [WORK_DIR]   builds what is missing, starts what is not running, prints CARNET_CITUS=URL
#   scripts/citus.sh stop WORK_DIR           stops the three servers
#
# SOURCE_DIR is a source tree of Citus 13.2.2 and is not changed. Everything else stays in WORK_DIR, also the copy of
# Debian's PostgreSQL 15 that Citus is installed into: PostgreSQL 15 looks for extensions in its own folders only, and
# finds those from where its programs are.
set -euo pipefail

readonly CITUS_VERSION=13.2.2
readonly PG_LIB=/usr/lib/postgresql/15
readonly PG_SHARE=/usr/share/postgresql/15
readonly PACKAGES=(
  postgresql-15 postgresql-server-dev-15 gcc make flex bison
  libicu-dev libkrb5-dev liblz4-dev libpam0g-dev libreadline-dev libselinux1-dev libssl-dev libxml2-dev libxslt1-dev
  libzstd-dev zlib1g-dev
)
readonly SERVERS=(coordinator worker_1 worker_2)
readonly DATABASE_USER=carnet
readonly DATABASE=carnet
readonly FIRST_PORT=5600
readonly LAST_PORT=5699

say() { printf '%s\n' "$*" >&2; }

fail() {
  say "$*"
  exit 1
}

# PostgreSQL refuses to run as root.
as_server_user() {
  if [[ $EUID -eq 0 ]]; then runuser -u postgres -- "$@"; else "$@"; fi
}

require_packages() {
  local name missing=()
  command -v dpkg-query >/dev/null || fail 'This script needs Debian or Ubuntu: it uses their PostgreSQL 15.'
  for name in "${PACKAGES[@]}"; do
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null || true) == installed ]] || missing+=("$name")
  done
  [[ ${#missing[@]} -eq 0 ]] || fail "Packages are missing. Install them by:
apt-get install --no-install-recommends ${missing[*]}"
}

require_source() {
  [[ -f $source_dir/configure ]] || fail "$source_dir is not a source tree of Citus."
  grep -qx "PACKAGE_VERSION='$CITUS_VERSION'" "$source_dir/configure" ||
    fail "$source_dir is not Citus $CITUS_VERSION. Check out the tag v$CITUS_VERSION."
}

# What the installation was made from: another minor version of PostgreSQL needs another build.
describe_build() {
  printf 'Citus %s, %s\n' "$CITUS_VERSION" "$("$PG_LIB/bin/postgres" --version)"
}

is_built() { [[ $(cat "$work_dir/install/built" 2>/dev/null || true) == "$(describe_build)" ]]; }

build() {
  require_packages
  require_source
  rm -rf "$work_dir/build" "$work_dir/install"
  mkdir -p "$work_dir/build"
  tar -C "$source_dir" --exclude=./.git -cf - . | tar -C "$work_dir/build" --no-same-owner -xf -
  # PostgreSQL 15.19 began to export a function of this name, which Citus defines for older ones.
  if grep -q have_createdb_privilege "$("$PG_LIB/bin/pg_config" --includedir-server)/commands/dbcommands.h"; then
    sed -i 's/^have_createdb_privilege(void)/unused_have_createdb_privilege(void)/' \
      "$work_dir/build/src/include/pg_version_compat.h"
  fi
  say "Building Citus $CITUS_VERSION takes some minutes. Log: $work_dir/build.log"
  compile >"$work_dir/build.log" 2>&1 || fail "The build failed: $(tail -n 20 "$work_dir/build.log")"
  describe_build >"$work_dir/install/built"
}

compile() {
  (
    cd "$work_dir/build"
    nice ./configure --quiet "PG_CONFIG=$PG_LIB/bin/pg_config" --without-libcurl
    nice make -s -j"$(nproc)" extension with_llvm=no
    mkdir -p "$work_dir/install$PG_LIB" "$work_dir/install$PG_SHARE"
    cp -a "$PG_LIB/." "$work_dir/install$PG_LIB"
    cp -a "$PG_SHARE/." "$work_dir/install$PG_SHARE"
    nice make -s install-extension with_llvm=no "DESTDIR=$work_dir/install"
  )
}

is_port_free() { ! (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# The nodes know each other by their ports, so these are chosen once.
choose_ports() {
  local port found=()
  [[ ! -f $work_dir/ports ]] || return 0
  for ((port = FIRST_PORT; port <= LAST_PORT && ${#found[@]} < ${#SERVERS[@]}; port++)); do
    if is_port_free "$port"; then found+=("$port"); fi
  done
  [[ ${#found[@]} -eq ${#SERVERS[@]} ]] || fail "There are not enough free ports from $FIRST_PORT to $LAST_PORT."
  printf '%s\n' "${found[@]}" >"$work_dir/ports"
}

choose_password() {
  [[ ! -f $work_dir/password ]] || return 0
  (
    umask 077
    od -An -N16 -tx1 /dev/urandom | tr -d ' \n' >"$work_dir/password"
    printf '127.0.0.1:*:*:%s:%s\n' "$DATABASE_USER" "$(cat "$work_dir/password")" >"$work_dir/pgpass"
  )
  if [[ $EUID -eq 0 ]]; then chown postgres: "$work_dir/password" "$work_dir/pgpass"; fi
}

make_data_dir() {
  local data_dir=$work_dir/$1
  [[ ! -f $data_dir/made ]] || return 0
  rm -rf "$data_dir"
  mkdir -m 700 "$data_dir"
  if [[ $EUID -eq 0 ]]; then chown postgres: "$data_dir"; fi
  as_server_user "$bin/initdb" --no-sync --auth=scram-sha-256 --pwfile="$work_dir/password" \
    --username="$DATABASE_USER" --encoding=UTF8 --locale=C.UTF-8 --pgdata="$data_dir" >/dev/null
  as_server_user touch "$data_dir/made"
}

# Without fsync a power cut destroys the data, which is of tests; a killed server still loses nothing.
print_settings() {
  cat <<END
listen_addresses = '127.0.0.1'
port = $1
unix_socket_directories = ''
shared_preload_libraries = 'citus'
fsync = off
full_page_writes = off
max_connections = 400
max_prepared_transactions = 400
max_locks_per_transaction = 512
max_worker_processes = 64
wal_level = logical
max_replication_slots = 64
max_wal_senders = 64
max_logical_replication_workers = 32
shared_buffers = 128MB
max_wal_size = 1GB
jit = off
timezone = 'UTC'
log_timezone = 'UTC'
citus.enable_unsafe_triggers = on
citus.local_hostname = '127.0.0.1'
citus.node_conninfo = 'sslmode=disable'
END
}

# The number of the running server's process, or nothing. After a restart of the machine another program can have it.
find_server() {
  local pid
  pid=$(head -n 1 "$work_dir/$1/postmaster.pid" 2>/dev/null || true)
  [[ -n $pid && $(readlink "/proc/$pid/exe" || true) == "$bin/postgres"* ]] || return 0
  printf '%s\n' "$pid"
}

start_server() {
  local name=$1 port=$2 data_dir=$work_dir/$1
  [[ -z $(find_server "$name") ]] || return 0
  make_data_dir "$name"
  is_port_free "$port" || fail "Port $port of the $name is used by another program. Stop it, or use a new WORK_DIR."
  print_settings "$port" | as_server_user tee "$data_dir/postgresql.conf" >/dev/null
  # A server signs in at the others with the password of this file.
  as_server_user env "PGPASSFILE=$work_dir/pgpass" "$bin/pg_ctl" start --silent --wait --pgdata="$data_dir" \
    --log="$data_dir/server.log" 9>&- >/dev/null ||
    fail "The $name did not start: $(tail -n 20 "$data_dir/server.log")"
}

query() {
  PGPASSWORD=$(cat "$work_dir/password") "$bin/psql" --no-psqlrc --quiet --no-align --tuples-only \
    --set=ON_ERROR_STOP=1 --host=127.0.0.1 --port="$1" --username="$DATABASE_USER" --dbname="$2" --command="$3"
}

make_database() {
  local port=$1
  if [[ -z $(query "$port" postgres "select 1 from pg_database where datname = '$DATABASE'") ]]; then
    query "$port" postgres "create database $DATABASE" 2>/dev/null
  fi
  query "$port" "$DATABASE" 'create extension if not exists citus' 2>/dev/null
}

# Both functions may be called again.
register_nodes() {
  local port
  query "${ports[0]}" "$DATABASE" "select citus_set_coordinator_host('127.0.0.1', ${ports[0]})" >/dev/null
  for port in "${ports[@]:1}"; do
    query "${ports[0]}" "$DATABASE" "select citus_add_node('127.0.0.1', $port)" >/dev/null
  done
}

start() {
  local i ports
  mkdir -p "$work_dir"
  exec 9>"$work_dir/lock"
  flock 9
  if ! is_built; then
    stop
    build
  fi
  choose_ports
  choose_password
  mapfile -t ports <"$work_dir/ports"
  for i in "${!SERVERS[@]}"; do start_server "${SERVERS[$i]}" "${ports[$i]}"; done
  for i in "${!SERVERS[@]}"; do make_database "${ports[$i]}"; done
  register_nodes
  say "Citus $CITUS_VERSION runs on the ports ${ports[*]}. Stop it by: scripts/citus.sh stop $work_dir"
  printf 'CARNET_CITUS=postgres://%s:%s@127.0.0.1:%s/%s\n' \
    "$DATABASE_USER" "$(cat "$work_dir/password")" "${ports[0]}" "$DATABASE"
}

stop() {
  local name pid
  for name in "${SERVERS[@]}"; do
    pid=$(find_server "$name")
    [[ -n $pid ]] || continue
    kill -INT "$pid"
    while [[ -n $(find_server "$name") ]]; do sleep 0.1; done
    say "Stopped the $name, process $pid."
  done
}

usage() {
  fail 'Usage: scripts/citus.sh SOURCE_DIR [WORK_DIR]
       scripts/citus.sh stop WORK_DIR'
}

[[ $# -ge 1 && $# -le 2 ]] || usage
work_dir=$(realpath -m "${2:-/var/tmp/carnet-citus}")
readonly work_dir bin=$work_dir/install$PG_LIB/bin
if [[ $1 == stop ]]; then
  [[ $# -eq 2 ]] || usage
  stop
else
  source_dir=$(realpath -m "$1")
  readonly source_dir
  start
fi
