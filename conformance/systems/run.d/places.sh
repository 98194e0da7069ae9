# Topics and streams for `conformance/systems/run`, and the bridge between them. It is sourced.
# shellcheck shell=bash disable=SC2154 # kafka, nats, work, systems and programs are those of who sources it

# A broker makes a topic when somebody asks for it (Metadata, version 0).
topic() {
  local length
  length=$(printf '\\x%02x' ${#1})
  exec 3<>"/dev/tcp/${kafka/://}"
  printf "\\0\\0\\0$(printf '\\x%02x' $((16 + ${#1})))\\0\\3\\0\\0\\0\\0\\0\\1\\xff\\xff\\0\\0\\0\\1\\0$length%s" "$1" >&3
  head -c 4 <&3 >"$work/made"
}

stream() {
  local stream="{\"name\":\"$1\",\"subjects\":[\"$1\"]}"
  exec 3<>"/dev/tcp/${nats/://}"
  printf "CONNECT {}\r\nSUB made 1\r\nPUB \$JS.API.STREAM.CREATE.%s made %d\r\n%s\r\n" "$1" ${#stream} "$stream" >&3
  sed '/^{/q' <&3 >"$work/made"
}

# A bridge with a route of its own for each pair, and one that feeds a topic.
bridge() {
  export FEED=${1:-kafka-http-in-$RUN}
  local from to
  for from in kafka nats http; do
    for to in kafka nats http; do
      case $from in kafka) topic "$from-$to-in-$RUN" ;; nats) stream "$from-$to-in-$RUN" ;; esac
      case $to in kafka) topic "$from-$to-out-$RUN" ;; nats) stream "$from-$to-out-$RUN" ;; esac
    done
  done
  ready='settings taken over' begin 18441 "$programs/cenl-bridge" run --config "$systems/cenl-bridge/bridge.toml"
}
