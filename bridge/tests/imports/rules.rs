//! The rules, as data. To add one, add a line.

/// What may not be mentioned where. A place is a prefix of file paths: `bridge/src/route` is
/// `route.rs` and all of `route/`.
pub(crate) struct Rule<'a> {
    pub(crate) place: &'a str,
    pub(crate) except: &'a [&'a str],
    pub(crate) banned: &'a [&'a str],
    pub(crate) reason: &'a str,
}

/// Rules of places. Each transport has one more, which names all the others.
pub(crate) const RULES: &[Rule<'static>] = &[
    Rule {
        place: "codec/src",
        except: &[],
        banned: &[
            "std::fs",
            "std::net",
            "std::env",
            "std::process",
            "Instant",
            "SystemTime",
        ],
        reason: "the codec never opens a file or a socket, nor looks at a clock or the environment",
    },
    Rule {
        place: "codec/src/event",
        except: &[],
        banned: &[
            "crate::wire",
            "crate::Binding",
            "crate::decoder",
            "crate::encoder",
            "serde_json",
            "simd_json",
        ],
        reason: "an event does not know how it is spelled",
    },
    Rule {
        place: "codec/src/wire",
        except: &[],
        banned: &["crate::decoder", "crate::encoder", "crate::Decoder"],
        reason: "readers and writers stand below what joins them",
    },
    Rule {
        place: "codec/src/vector",
        except: &[],
        banned: &["crate::json", "crate::event", "crate::wire"],
        reason: "vector code stands below the grammar that uses it",
    },
    Rule {
        place: "codec/src",
        except: &["codec/src/serde_impl.rs", "codec/src/payload.rs"],
        banned: &["serde_json"],
        reason: "the codec reads and writes JSON itself; serde is for those who ask for it",
    },
    Rule {
        place: "codec/src",
        except: &["codec/src/http_map.rs"],
        banned: &["http"],
        reason: "the types of a client library are a feature's business, in one file",
    },
    Rule {
        place: "conformance/src",
        except: &["conformance/src/main.rs", "conformance/src/cli"],
        banned: &["clap"],
        reason: "the command line belongs to the binary",
    },
    Rule {
        place: "conformance/live/src",
        except: &["conformance/live/src/intermediary/ends/kafka"],
        banned: &["rdkafka"],
        reason: "one end of an intermediary knows the Kafka client",
    },
    Rule {
        place: "conformance/live/src",
        except: &["conformance/live/src/intermediary/ends/nats"],
        banned: &["async_nats"],
        reason: "one end of an intermediary knows the NATS client",
    },
    Rule {
        place: "conformance/live/src",
        except: &[
            "conformance/live/src/client",
            "conformance/live/src/listener",
            "conformance/live/src/tls.rs",
            // It changes the certificate of the listener.
            "conformance/live/src/sender/play",
        ],
        banned: &["hyper", "hyper_util", "rustls", "tokio_rustls"],
        reason: "one client and one listener know HTTP",
    },
    Rule {
        place: "conformance/live/src/receiver/rules",
        except: &[],
        banned: &["tokio", "std::fs", "std::net", "Instant", "SystemTime"],
        reason: "a scenario sends nothing by itself, and judges what it is given",
    },
    Rule {
        place: "conformance/live/src/sender/rules",
        except: &[],
        banned: &["tokio::net", "tokio::spawn", "std::fs", "std::net"],
        reason: "a scenario opens nothing by itself, and judges what it is given, with its times",
    },
    Rule {
        place: "conformance/live/src/intermediary/rules",
        except: &[],
        banned: &["tokio", "std::fs", "std::net", "Instant", "SystemTime"],
        reason: "a rule judges what went in and what came out",
    },
    Rule {
        place: "bridge/src",
        except: &["bridge/src/transport/kafka", "bridge/src/tools/demo"],
        banned: &["rdkafka", "rdkafka_sys"],
        reason: "one transport knows the Kafka client; the demo plays the broker",
    },
    Rule {
        place: "bridge/src",
        except: &["bridge/src/transport/nats"],
        banned: &["async_nats", "nkeys"],
        reason: "one transport knows the NATS client",
    },
    Rule {
        place: "bridge/src",
        except: &[
            "bridge/src/transport/",
            "bridge/src/credentials/request",
            "bridge/src/fetch",
            "bridge/src/server",
            "bridge/src/admin",
            "bridge/src/tools/demo",
        ],
        banned: &[
            "hyper",
            "hyper_util",
            "hyper_rustls",
            "http_body_util",
            "tokio_rustls",
        ],
        reason: "transports and the admin endpoint know HTTP; tokens are asked for over it; the demo plays the receiver",
    },
    Rule {
        place: "bridge/src",
        except: &["bridge/src/admin"],
        banned: &["axum"],
        reason: "the admin port alone has so many paths that it needs a router",
    },
    Rule {
        place: "bridge/src",
        except: &["bridge/src/traces"],
        banned: &["opentelemetry_proto", "prost"],
        reason: "traces alone know how a span is spelled",
    },
    Rule {
        place: "bridge/src",
        except: &[
            "bridge/src/route/",
            "bridge/src/plan/",
            "bridge/src/delivery/",
            "bridge/src/transport/file/capture",
        ],
        banned: &["cloudevents_nl_conformance"],
        reason: "reading and judging stay apart: a route checks where it is asked to, and nobody else does; files hold captures",
    },
    Rule {
        place: "bridge/src/route/",
        except: &[],
        banned: &[
            "tokio",
            "futures_util",
            "figment",
            "toml_edit",
            "SystemTime",
            "Instant",
            "Timestamp::now",
        ],
        reason: "the steps of a route are pure: no task, no clock, no settings file",
    },
    Rule {
        place: "bridge/src/traces/span",
        except: &[],
        banned: &["tokio", "Timestamp::now", "SystemTime", "Instant"],
        reason: "a route makes spans, and it is pure",
    },
    Rule {
        place: "bridge/src/route.rs",
        except: &[],
        banned: &[
            "figment",
            "toml_edit",
            "spawn",
            "spawn_local",
            "sleep",
            "sleep_until",
            "Instant::now",
            "Timestamp::now",
        ],
        reason: "a route orders its steps; the runtime spawns, waits and reads the clock",
    },
    Rule {
        place: "bridge/src",
        except: &["bridge/src/cli", "bridge/src/tools"],
        banned: &["crate::cli", "crate::tools"],
        reason: "what people run stands above the runtime, and the command line above that",
    },
    Rule {
        place: "bridge/src/tools",
        except: &[],
        banned: &["crate::cli"],
        reason: "what people run knows nothing of the command line",
    },
    Rule {
        place: "bridge/src/config",
        except: &[],
        banned: &["tokio", "TcpListener", "TcpStream", "UdpSocket"],
        reason: "settings are read before a port opens or a task runs",
    },
    Rule {
        place: "bridge/src/credentials",
        except: &[],
        banned: &["crate::transport", "crate::route", "crate::plan"],
        reason: "transports ask for what proves who we are, and it knows none of them",
    },
    Rule {
        place: "bridge/src",
        except: &[
            "bridge/src/jwt.rs",
            "bridge/src/credentials",
            "bridge/src/transport/http",
        ],
        banned: &["jsonwebtoken"],
        reason: "one file gives the library its cryptography; who proves or checks who somebody is uses it",
    },
    Rule {
        place: "bridge/src/config",
        except: &[],
        banned: &["crate::transport", "crate::route", "crate::plan"],
        reason: "whoever has settings knows the reader, and it knows nobody",
    },
    Rule {
        place: "bridge/src/plan",
        except: &[],
        banned: &["tokio", "TcpListener", "TcpStream", "UdpSocket"],
        reason: "settings are proven before a port opens or a task runs",
    },
];

/// The one module that names every transport.
pub(crate) const REGISTRY: &str = "bridge/src/transport/registry.rs";

/// Modules in `transport/` that several transports share; they know none. Every module that is not
/// listed is a transport.
pub(crate) const SHARED: &[&str] = &[
    "address",
    "contract",
    "outgoing",
    "registry",
    "state_file",
    "status",
    "view",
];
