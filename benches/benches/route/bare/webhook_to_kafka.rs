//! Webhook → Kafka: copies the body, answers when Kafka has acknowledged.

use std::convert::Infallible;
use std::rc::Rc;

use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use rdkafka::message::{Header, OwnedHeaders};
use rdkafka::producer::{FutureProducer, FutureRecord};
use tokio::net::TcpListener;
use tokio::task::spawn_local;

use super::{ends, kafka};
use crate::senders::KEY_HEADER;

/// One request in flight and no linger: batches grow by themselves while a request is away.
const PROPERTIES: [(&str, &str); 2] = [
    ("max.in.flight.requests.per.connection", "1"),
    ("linger.ms", "0"),
];

pub(super) async fn run(arguments: &[String]) {
    let [listen, brokers, topic] = ends(arguments);
    let pipe = Rc::new(Pipe {
        producer: kafka::producer(brokers, &PROPERTIES),
        topic: topic.to_owned(),
    });
    let listener = TcpListener::bind(listen).await.expect("a free address");
    loop {
        let (stream, _) = listener.accept().await.expect("the listener works");
        stream.set_nodelay(true).expect("a TCP socket");
        let pipe = Rc::clone(&pipe);
        spawn_local(async move {
            let service = service_fn(|request| pipe.carry(request));
            let io = TokioIo::new(stream);
            hyper::server::conn::http1::Builder::new()
                .serve_connection(io, service)
                .await
                .ok();
        });
    }
}

struct Pipe {
    producer: FutureProducer,
    topic: String,
}

impl Pipe {
    async fn carry(
        &self,
        request: Request<Incoming>,
    ) -> Result<Response<Empty<Bytes>>, Infallible> {
        let (parts, body) = request.into_parts();
        let body = body.collect().await.expect("a whole request").to_bytes();
        let header = |name: &str| parts.headers.get(name).map(http::HeaderValue::as_bytes);
        let content_type = Header {
            key: "content-type",
            value: header("content-type"),
        };
        let record = FutureRecord::to(&self.topic)
            .payload(&*body)
            .key(header(KEY_HEADER).expect("the senders name the key"))
            .headers(OwnedHeaders::new_with_capacity(1).insert(content_type));
        let report = self
            .producer
            .send_result(record)
            .map_err(|(error, _)| error);
        let report = report.expect("64 requests do not fill the queue").await;
        report
            .expect("the producer lives")
            .map_err(|(error, _)| error)
            .expect("acknowledged");
        let mut response = Response::new(Empty::new());
        *response.status_mut() = StatusCode::NO_CONTENT;
        Ok(response)
    }
}
