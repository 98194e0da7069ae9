//! `[[http.NAME.clients]]`: who is known at a listener, and which events each may send.

mod issuer_keys;
mod jwt;
mod key_set;
mod signature;

use std::sync::Arc;

use cloudevents_nl_codec::Event;
use ring::digest::{SHA256, digest};
use serde_json::Value as Json;
use subtle::ConstantTimeEq;

use super::certificate::Subject;
use super::only;
use crate::config::describe::{keys, object};
use crate::config::{Fault, Reported, Setting, SettingValue, Table};
use issuer_keys::IssuerKeys;
use jwt::Jwt;
pub(super) use signature::Signature;
use signature::VerifyingKeys;

/// Who posts.
pub(super) enum Caller<'p> {
    Anyone,
    Client(&'p Client),
    /// Known once the body is read.
    Signer(Signature<'p>),
}

#[derive(Clone, Debug)]
pub(super) struct Client {
    pub(super) name: String,
    proof: Proof,
    /// Prefixes. `None` is every one.
    sources: Option<Vec<String>>,
    types: Option<Vec<String>>,
}

#[derive(Clone, Debug, PartialEq)]
enum Proof {
    /// SHA-256 of a bearer token.
    Token([u8; 32]),
    Jwt(Box<Jwt>),
    Oin(String),
    Subject(String),
    Signature(VerifyingKeys),
}

impl Setting for Client {
    fn read(found: &SettingValue<'_>) -> Result<Self, Reported> {
        found.section(Self::of_table)
    }

    fn schema() -> Json {
        object(&keys(Self::of_table))
    }
}

impl Client {
    fn of_table(table: &Table<'_>) -> Result<Self, Reported> {
        let meaning = "what logs and answers call it";
        let name = table.key::<String>("name", meaning).required();
        let meaning = "SHA-256 of its bearer token, in 64 hexadecimal digits";
        let token = table.key::<String>("token_sha256", meaning).must(is_digest);
        let token = token.optional("one of the five is required");
        let meaning = "what its bearer tokens say, which are JWTs";
        let jwt = table.key::<Jwt>("jwt", meaning);
        let jwt = jwt.optional("one of the five is required");
        let meaning = "`serialNumber` of the subject of its certificate: an OIN";
        let oin = table.key::<String>("oin", meaning);
        let oin = oin.optional("one of the five is required");
        let meaning =
            "subject of its certificate, as RFC 4514 writes it: `CN=zaken,O=Gemeente,C=NL`";
        let subject = table.key::<String>("subject", meaning);
        let subject = subject.optional("one of the five is required");
        let signature = VerifyingKeys::read(table);
        let meaning = "prefixes, of which the `source` of its events must have one";
        let sources = table.key("sources", meaning).optional("every source");
        let meaning = "prefixes, of which the `type` of its events must have one";
        let types = table.key("types", meaning).optional("every type");
        let proofs = [
            token?.and_then(|hex| of_hex(&hex)).map(Proof::Token),
            jwt?.map(|jwt| Proof::Jwt(jwt.into())),
            oin?.map(Proof::Oin),
            subject?.map(Proof::Subject),
            signature?.map(Proof::Signature),
        ];
        let Some(proof) = only(proofs.into_iter().flatten()) else {
            let what = "is not known by exactly one thing";
            let remedy =
                "give it one of the keys token_sha256, jwt, oin, subject and signing_secrets";
            return Err(table.report(&[], what, remedy));
        };
        Ok(Self {
            name: name?,
            proof,
            sources: sources?,
            types: types?,
        })
    }

    /// Whoever brings this one of `tokens_file`, and may send everything.
    pub(super) fn bearer((number, token): (usize, &str)) -> Self {
        let digest = digest(&SHA256, token.as_bytes()).as_ref().try_into();
        Self {
            name: format!("token {number} of tokens_file"),
            proof: Proof::Token(digest.expect("SHA-256 has 32 bytes")),
            sources: None,
            types: None,
        }
    }

    pub(super) fn has_certificate(&self) -> bool {
        matches!(self.proof, Proof::Oin(_) | Proof::Subject(_))
    }

    pub(super) fn signs(&self) -> bool {
        matches!(self.proof, Proof::Signature(_))
    }

    /// To be followed while the listener is open.
    pub(super) fn issuer_keys(&self) -> Option<Arc<IssuerKeys>> {
        match &self.proof {
            Proof::Jwt(jwt) => jwt.issuer_keys(),
            _ => None,
        }
    }

    /// Whether it may not send every event.
    pub(super) fn is_bound(&self) -> bool {
        self.sources.is_some() || self.types.is_some()
    }

    /// The error is the key that forbids it.
    pub(super) fn may_send(&self, event: &Event<'_>) -> Result<(), &'static str> {
        let allows = |prefixes: &Option<Vec<String>>, text: &str| {
            let has = |prefixes: &Vec<String>| prefixes.iter().any(|it| text.starts_with(&**it));
            prefixes.as_ref().is_none_or(has)
        };
        if !allows(&self.sources, event.source()) {
            return Err("sources");
        }
        allows(&self.types, event.ty()).then_some(()).ok_or("types")
    }
}

/// Each digest is compared in a time that does not tell how much of it was right.
pub(super) fn by_token<'c>(
    mut clients: impl Iterator<Item = &'c Client>,
    token: &[u8],
) -> Option<&'c Client> {
    let presented = digest(&SHA256, token);
    clients.find(|client| match &client.proof {
        Proof::Token(known) => known.ct_eq(presented.as_ref()).into(),
        Proof::Jwt(jwt) => jwt.is_brought(token),
        _ => false,
    })
}

/// Whether a token of nobody may be one whose key is still to come.
pub(super) fn key_may_come(clients: &[Client], token: &[u8]) -> bool {
    let may_come =
        |client: &Client| matches!(&client.proof, Proof::Jwt(jwt) if jwt.may_come(token));
    clients.iter().any(may_come)
}

pub(super) fn by_subject<'c>(clients: &'c [Client], subject: &Subject) -> Option<&'c Client> {
    clients.iter().find(|client| match &client.proof {
        Proof::Oin(oin) => subject.oin.as_ref() == Some(oin),
        Proof::Subject(name) => subject.name == *name,
        _ => false,
    })
}

pub(super) fn by_signature<'c>(
    clients: &'c [Client],
    signature: &Signature<'_>,
    body: &[u8],
) -> Option<&'c Client> {
    let text = signature.text(body);
    clients.iter().find(|client| match &client.proof {
        Proof::Signature(keys) => keys.have_signed(&text, signature),
        _ => false,
    })
}

pub(super) fn are_distinct(clients: &[Client]) -> Result<(), Fault> {
    let is_new = |(index, client): (usize, &Client)| {
        let mut before = clients[..index].iter();
        before.all(|other| other.name != client.name && other.proof != client.proof)
    };
    let are_distinct = clients.iter().enumerate().all(is_new);
    let what = "has two clients with one name, token, certificate or secret";
    Fault::unless(are_distinct, what, "make them one, or tell them apart")
}

fn is_digest(hex: &str) -> Result<(), Fault> {
    let remedy = "write what `printf %s TOKEN | sha256sum` prints";
    let what = "is not a SHA-256 in hexadecimal digits";
    Fault::unless(of_hex(hex).is_some(), what, remedy)
}

fn of_hex(hex: &str) -> Option<[u8; 32]> {
    let is_hex = hex.len() == 64 && hex.bytes().all(|digit| digit.is_ascii_hexdigit());
    let (high, low) = hex.split_at_checked(32).filter(|_| is_hex)?;
    let half = |digits| u128::from_str_radix(digits, 16).ok().map(u128::to_be_bytes);
    [half(high)?, half(low)?].concat().try_into().ok()
}
