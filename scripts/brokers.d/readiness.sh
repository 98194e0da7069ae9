# shellcheck shell=bash
# Whether a broker truly answers: asked in its own protocol, with bash alone.

# answers BROKER
answers() { "answers_$1" 2>/dev/null; }

# Kafka: a Metadata request must be answered with at least one live broker. A node that is still
# loading, or fenced, answers with none.
answers_kafka() {
  local answer
  # Version 4: request key 3, correlation 1, client "up"; no topics, none to be created.
  answer=$(exchange "$KAFKA_PORT" 20 \
    '\0\0\0\021' '\0\003' '\0\004' '\0\0\0\001' '\0\002up' '\0\0\0\0' '\0') || return 1
  # Length, correlation, throttle time, number of brokers: four bytes each, then the first broker.
  [[ ${answer:8:8} == 00000001 && $((16#${answer:24:8})) -ge 1 ]]
}

# NATS: the monitoring port must say 200 to /healthz, which includes JetStream.
answers_nats() {
  [[ $(exchange "$NATS_MONITOR_PORT" 12 'GET /healthz HTTP/1.0\r\n\r\n') == "$(hex 'HTTP/1.0 200')" ]]
}

# exchange PORT BYTES REQUEST…: sends the request and prints the first BYTES of the answer in hex.
exchange() {
  local port=$1 bytes=$2
  shift 2
  (
    exec 3<>"/dev/tcp/127.0.0.1/$port" || exit 1
    # shellcheck disable=SC2059 # The escapes are the request.
    printf "$(printf '%s' "$@")" >&3
    timeout 3 head -c "$bytes" <&3 | od -An -v -tx1 | tr -d ' \n'
  )
}

hex() { printf '%s' "$1" | od -An -v -tx1 | tr -d ' \n'; }
