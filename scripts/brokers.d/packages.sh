# shellcheck shell=bash disable=SC2154 # scripts/brokers sets what is not set here.
# The brokers as processes of this machine, from Maven and Go packages.

packages=$home/packages
kafka_libs=$packages/kafka-$KAFKA_VERSION
nats_server=$packages/nats-server-$NATS_VERSION

backend_check() {
  need java openjdk-17-jre-headless
  need mvn maven
  need go 'golang, 1.25 or newer'
  need openssl openssl
  if command -v java >/dev/null; then
    local release
    release=$(java -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p')
    [[ ${release:-0} -ge 17 ]] ||
      missing+=("Java 17 or newer, not ${release:-unknown} (Debian package: openjdk-17-jre-headless)")
  fi
}

backend_prepare() {
  mkdir -p "$packages"
  [[ -d $kafka_libs ]] || install_kafka
  [[ -x $nats_server ]] || install_nats
}

# Both installers work in a folder of their own, caches included, and move the result in last:
# an interrupted one leaves nothing that looks complete, and nothing outside this clone.
install_kafka() {
  say "fetching Apache Kafka $KAFKA_VERSION with Maven"
  local new
  new=$(mktemp -d "$packages/kafka.XXXXXX")
  mvn --quiet --batch-mode --file "$here/brokers.d/pom.xml" dependency:copy-dependencies \
    -Dmaven.repo.local="$new/repository" -Dkafka.version="$KAFKA_VERSION" \
    -Dlog4j.version="$LOG4J_VERSION" -DincludeScope=runtime -DoutputDirectory="$new/libs"
  mv "$new/libs" "$kafka_libs"
  rm -rf "$new"
}

install_nats() {
  say "building nats-server $NATS_VERSION with Go"
  local new
  new=$(mktemp -d "$packages/nats.XXXXXX")
  GOBIN=$new/bin GOPATH=$new GOCACHE=$new/cache GOFLAGS="$(go env GOFLAGS) -modcacherw" \
    "$here/again" go install "github.com/nats-io/nats-server/v2@v$NATS_VERSION" 2>"$new/log" ||
    fail "go could not install nats-server:" "$(cat "$new/log")"
  mv "$new/bin/nats-server" "$nats_server"
  rm -rf "$new"
}

kafka_java=(
  java -Xmx768m -XX:+UseSerialGC
  -Dorg.apache.kafka.sasl.oauthbearer.allowed.urls="file://$certificates/tokens.jwks.json"
  -Dlog4j2.configurationFile="$here/brokers.d/log4j2.properties" -cp "$kafka_libs/*"
)

# backend_start BROKER: does nothing where it runs already.
backend_start() {
  if alive "$1"; then
    return
  fi
  refuse_taken_ports "$1"
  mkdir -p "$instance/logs"
  "launch_$1"
  # Until the new process runs its program, its command line is this script's, and it looks dead.
  within 5 launched "$1" || true
}

# launched BROKER: its process runs the broker, or has ended already.
launched() { alive "$1" || ! kill -0 "$(cat "$instance/$1.pid")" 2>/dev/null; }

launch_kafka() {
  local properties=$instance/kafka.properties data=$instance/kafka-data
  local format_log=$instance/logs/kafka-format.log
  server_properties 127.0.0.1 "$certificates" "$data" >"$properties"
  if [[ ! -e $data/meta.properties ]]; then
    "${kafka_java[@]}" kafka.tools.StorageTool format --config "$properties" \
      --cluster-id "$KAFKA_CLUSTER_ID" --add-scram "$kafka_scram_user" >"$format_log" 2>&1 ||
      fail 'Kafka could not format its data folder:' "$(cat "$format_log")"
  fi
  nohup "${kafka_java[@]}" kafka.Kafka "$properties" \
    >>"$instance/logs/kafka.log" 2>&1 </dev/null &
  echo $! >"$instance/kafka.pid"
}

launch_nats() {
  nohup "$nats_server" --addr 127.0.0.1 --port "$NATS_PORT" --http_port "$NATS_MONITOR_PORT" \
    --jetstream --store_dir "$instance/nats-data" \
    >>"$instance/logs/nats.log" 2>&1 </dev/null &
  echo $! >"$instance/nats.pid"
}

# alive BROKER: its process runs. A number left behind by a crash, or handed to another program
# since, does not count: the command line must name this instance.
alive() {
  local pid
  pid=$(cat "$instance/$1.pid" 2>/dev/null) || return 1
  [[ $(tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline") == *"$instance/$1"* ]]
} 2>/dev/null

# backend_stop BROKER: asks it to end, and ends it when it has not after 30 seconds.
backend_stop() {
  if ! end "$1" TERM 30; then
    say "$1 did not end in 30 seconds: killing it"
    backend_kill "$1"
  fi
}

# backend_kill BROKER: ends it as a crash would.
backend_kill() {
  end "$1" KILL 10 || fail "$1 survives kill -9"
}

# end BROKER SIGNAL SECONDS: sends the signal if it runs, and waits until it is gone.
end() {
  alive "$1" || return 0
  local pid
  pid=$(cat "$instance/$1.pid")
  kill "-$2" "$pid" || true
  within "$3" gone "$pid"
}

# gone PROCESS: it has no thread left that could hold a port open. What is left of one that nobody
# waits for is a zombie.
gone() {
  local states
  states=$(cat "/proc/$1/task"/*/status 2>/dev/null | sed -n 's/^State:[[:space:]]*//p' || true)
  [[ $states != *[!ZX]' ('* ]]
}

backend_down() {
  backend_stop kafka
  backend_stop nats
  rm -rf "$instance"/{kafka,nats}{.pid,-data} "$instance/kafka.properties"
}

backend_logs() {
  local file
  for file in "$instance"/logs/*.log; do
    printf '== %s\n' "$file"
    tail -n 20 "$file"
  done
}

# refuse_taken_ports BROKER: says so when another program holds one of its ports.
refuse_taken_ports() {
  local port
  for port in $(ports_of "$1"); do
    if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
      fail "port $port is taken by another program; CENL_BROKERS_PORT_BASE moves the brokers' ports"
    fi
  done
}
