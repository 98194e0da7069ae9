# shellcheck shell=bash disable=SC2154 # scripts/brokers sets what is not set here.
# The brokers as containers of docker-compose.yml.

backend_check() {
  need openssl openssl
}

backend_prepare() {
  mkdir -p "$instance"
  # Other containers reach it by its name, by a listener that is not published.
  server_properties 0.0.0.0 /etc/cenl/certificates /var/lib/kafka/data |
    sed -e 's|^listeners=|&CONTAINERS://0.0.0.0:9092,|' -e 's|^advertised.listeners=|&CONTAINERS://kafka:9092,|' \
      -e 's|^listener.security.protocol.map=|&CONTAINERS:PLAINTEXT,|' >"$instance/kafka.properties"
  # The broker in the container runs as another user.
  chmod 644 "$instance/kafka.properties"
  copy_nats_server
}

# Tests that start servers of their own need the program itself.
copy_nats_server() {
  local program=$home/packages/nats-server-$NATS_VERSION container
  [[ ! -x $program ]] || return 0
  mkdir -p "$home/packages"
  container=$(docker create "nats:$NATS_VERSION-alpine")
  docker cp "$container:/usr/local/bin/nats-server" "$program.new"
  docker rm "$container" >/dev/null
  mv "$program.new" "$program"
}

# backend_start BROKER: does nothing where it runs already.
backend_start() { compose up --detach "$1"; }

backend_stop() { compose stop "$1"; }

backend_kill() { compose kill "$1"; }

# alive BROKER: its container runs.
alive() { [[ -n $(compose ps --quiet --status running "$1") ]]; }

backend_down() { compose down --volumes; }

backend_logs() { compose logs --tail 20; }

# One project per instance, so that two of them do not share containers.
compose() {
  CENL_BROKERS_DIR=$instance \
    docker compose --file "$root/docker-compose.yml" --project-name "cenl-$KAFKA_PORT" "$@"
}
