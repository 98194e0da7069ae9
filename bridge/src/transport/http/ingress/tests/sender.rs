//! A client over TLS that speaks what it is told to.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::FutureExt;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::{http1, http2};
use hyper_util::rt::TokioIo;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore, SupportedProtocolVersion};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::certificates::Certificates;
use crate::server::LocalExecutor;

pub(super) struct Sender {
    config: ClientConfig,
}

impl Sender {
    /// Over this protocol of ALPN.
    pub(super) fn new(
        trusted: &Certificates,
        own: Option<(&Certificates, &str)>,
        protocol: &str,
        version: &'static SupportedProtocolVersion,
    ) -> Self {
        let mut roots = RootCertStore::empty();
        let root = CertificateDer::from_pem_file(trusted.path("root.pem"));
        roots.add(root.unwrap()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider)
            .with_protocol_versions(&[version])
            .unwrap()
            .with_root_certificates(roots);
        let mut config = match own {
            Some((own, name)) => {
                let chain = CertificateDer::from_pem_file(own.path(&format!("{name}.pem")));
                let key = PrivateKeyDer::from_pem_file(own.path(&format!("{name}.key")));
                let chain = vec![chain.unwrap()];
                builder.with_client_auth_cert(chain, key.unwrap()).unwrap()
            }
            None => builder.with_no_client_auth(),
        };
        config.alpn_protocols = vec![protocol.into()];
        Self { config }
    }

    pub(super) async fn connect(&self, address: SocketAddr) -> io::Result<TlsStream<TcpStream>> {
        let stream = TcpStream::connect(address).await?;
        let connector = TlsConnector::from(Arc::new(self.config.clone()));
        connector.connect(address.ip().into(), stream).await
    }

    pub(super) async fn open(&self, address: SocketAddr) -> Result<Opened, String> {
        let stream = self.connect(address).await.map_err(|it| it.to_string())?;
        let (_, session) = stream.get_ref();
        let certificate = session.peer_certificates().unwrap()[0].to_vec();
        let is_http2 = session.alpn_protocol() == Some(b"h2");
        let failed = |error: hyper::Error| error.to_string();
        let (requests, connection) = if is_http2 {
            let opened = http2::handshake(LocalExecutor, TokioIo::new(stream)).await;
            let (requests, connection) = opened.map_err(failed)?;
            (Requests::Http2(requests), connection.boxed_local())
        } else {
            let opened = http1::handshake(TokioIo::new(stream)).await;
            let (requests, connection) = opened.map_err(failed)?;
            (Requests::Http1(requests), connection.boxed_local())
        };
        let (open, ended) = watch::channel(());
        tokio::task::spawn_local(async move {
            drop(connection.await);
            drop(open);
        });
        Ok(Opened {
            requests,
            certificate,
            ended,
        })
    }

    /// One request on a connection of its own: the status.
    pub(super) async fn post(
        &self,
        address: SocketAddr,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Result<u16, String> {
        let answer = self.open(address).await?.post(headers, body).await?;
        Ok(answer.0)
    }
}

pub(super) struct Opened {
    requests: Requests,
    /// Of the listener.
    pub(super) certificate: Vec<u8>,
    /// Tells when the connection does.
    ended: watch::Receiver<()>,
}

enum Requests {
    Http1(http1::SendRequest<Full<Bytes>>),
    Http2(http2::SendRequest<Full<Bytes>>),
}

impl Opened {
    /// Status and body.
    pub(super) async fn post(
        &mut self,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Result<(u16, String), String> {
        let mut request = match self.requests {
            Requests::Http1(_) => Request::post("/events").header("host", "receiver.example"),
            Requests::Http2(_) => Request::post("https://receiver.example/events"),
        };
        for (name, value) in [("content-type", "application/cloudevents+json")]
            .iter()
            .chain(headers)
        {
            request = request.header(*name, *value);
        }
        let request = request.body(Full::from(body.to_owned())).unwrap();
        let answer = match &mut self.requests {
            Requests::Http1(requests) => requests.send_request(request).await,
            Requests::Http2(requests) => requests.send_request(request).await,
        };
        whole(answer.map_err(|error| format!("{error:?}"))?).await
    }

    /// For requests at the same time.
    pub(super) fn shared(&self) -> Self {
        let Requests::Http2(requests) = &self.requests else {
            panic!("HTTP/1 has one at a time");
        };
        Self {
            requests: Requests::Http2(requests.clone()),
            certificate: self.certificate.clone(),
            ended: self.ended.clone(),
        }
    }

    pub(super) async fn closed(&self) {
        // Nothing is ever sent: it fails once the connection has ended.
        assert!(self.ended.clone().changed().await.is_err());
    }
}

async fn whole(answer: Response<Incoming>) -> Result<(u16, String), String> {
    let status = answer.status().as_u16();
    let body = answer.into_body().collect().await;
    let body = body.map_err(|error| error.to_string())?.to_bytes();
    Ok((status, String::from_utf8(body.to_vec()).unwrap()))
}
