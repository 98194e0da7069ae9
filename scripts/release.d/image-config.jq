{
  architecture: "amd64",
  os: "linux",
  created: $created,
  config: {
    User: "65532:65532",
    WorkingDir: "/var/lib/cenl",
    Entrypoint: ["/usr/bin/cenl-bridge"],
    Cmd: ["run", "--config", "/etc/cenl/bridge.toml"],
    StopSignal: "SIGTERM",
    # Docker's own; others leave it out. Kubernetes asks /livez and /readyz.
    Healthcheck: {
      Test: ["CMD", "/usr/bin/cenl-bridge", "status", "--config", "/etc/cenl/bridge.toml"],
      Interval: 30000000000, Timeout: 10000000000, StartPeriod: 30000000000, Retries: 3
    },
    Labels: {
      "org.opencontainers.image.title": "cenl-bridge",
      "org.opencontainers.image.description": "Carries CloudEvents between Kafka, NATS and webhooks without losing one",
      "org.opencontainers.image.version": $version,
      "org.opencontainers.image.revision": $commit,
      "org.opencontainers.image.created": $created,
      "org.opencontainers.image.licenses": "MIT OR Apache-2.0"
    }
  },
  rootfs: {type: "layers", diff_ids: [$layer]},
  history: [{created: $created, created_by: "scripts/release"}]
}
