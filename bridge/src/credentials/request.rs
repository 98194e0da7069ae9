//! What is asked of a token endpoint (RFC 6749, section 4.4.2), and what it answers.

use std::fs;
use std::time::Duration;

use base64_simd::STANDARD;
use bytes::Bytes;
use form_urlencoded::{Serializer, byte_serialize};
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderValue, Request, StatusCode};
use http_body_util::Full;
use jiff::Timestamp;
use jsonwebtoken::Header;
use serde::Deserialize;
use serde_json::{Value as Json, json};
use tokio::time::Instant;

use super::NoToken;
use super::settings::{ClientAuthentication, OAuthSettings, PrivateKey};
use super::token_client::Token;
use crate::config::read_secret;
use crate::fetch::{Reach, fetch};
use crate::jwt;
use crate::tls::{FileError, certificates};

/// What a server says beyond that is taken for that.
const LIFETIME_MAX: u64 = 24 * 60 * 60;
/// How long an assertion is good for.
const ASSERTED_FOR: i64 = 60;
const JWT_BEARER: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

pub(super) type TokenRequest = Request<Full<Bytes>>;

#[derive(Deserialize)]
struct Answer {
    access_token: String,
    token_type: String,
    /// In seconds, which some servers write as text.
    expires_in: Option<Json>,
}

fn lifetime(expires_in: &Json) -> Option<Duration> {
    let text = || expires_in.as_str().and_then(|text| text.parse().ok());
    let seconds = expires_in.as_f64().or_else(text)?;
    // A cast of what is too large gives the bound.
    (seconds >= 0.0).then(|| Duration::from_secs((seconds as u64).min(LIFETIME_MAX)))
}

/// Reads files: where they hang, whoever waits is held up. The error has the key at fault, and shows nothing of
/// their content.
pub(super) fn prepare(settings: &OAuthSettings) -> Result<TokenRequest, (&'static str, String)> {
    let mut form = Serializer::new(String::new());
    form.append_pair("grant_type", "client_credentials");
    if !settings.scopes.is_empty() {
        form.append_pair("scope", &settings.scopes.join(" "));
    }
    if let Some(audience) = &settings.audience {
        form.append_pair("audience", audience);
    }
    let secret = |place| {
        let what = match read_secret(place) {
            Ok(secret) if !secret.is_empty() => return Ok(secret),
            Ok(_) => "there is nothing in it".to_owned(),
            Err(error) => error.to_string(),
        };
        Err(("client_secret", what))
    };
    let mut request = Request::post(&settings.token_url)
        .header(ACCEPT, "application/json")
        .header(CONTENT_TYPE, "application/x-www-form-urlencoded");
    if let ClientAuthentication::SecretBasic(place) = &settings.authentication {
        let coded = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
        let pair = format!("{}:{}", coded(&settings.client_id), coded(&secret(place)?));
        let basic = format!("Basic {}", STANDARD.encode_to_string(pair));
        request = request.header(AUTHORIZATION, basic);
    } else {
        form.append_pair("client_id", &settings.client_id);
    }
    match &settings.authentication {
        ClientAuthentication::SecretPost(place) => {
            form.append_pair("client_secret", &secret(place)?);
        }
        ClientAuthentication::PrivateKeyJwt(key) => {
            form.append_pair("client_assertion_type", JWT_BEARER);
            let assertion = assertion(settings, key);
            let assertion = assertion.map_err(|error| (error.key, error.to_string()))?;
            form.append_pair("client_assertion", &assertion);
        }
        ClientAuthentication::SecretBasic(_) | ClientAuthentication::Tls => {}
    }
    let request = request.body(Full::from(form.finish()));
    request.map_err(|error| ("client_authentication", error.to_string()))
}

/// RFC 7523, section 3
fn assertion(settings: &OAuthSettings, key: &PrivateKey) -> Result<String, FileError> {
    let pem = fs::read(&key.file).map_err(FileError::of("private_key_file", &key.file))?;
    let signing_key = jwt::signing_key(&pem, key.algorithm);
    let signing_key = signing_key.map_err(FileError::of("private_key_file", &key.file))?;
    let mut header = Header::new(key.algorithm);
    header.kid.clone_from(&key.key_id);
    if let Some(path) = &key.x5c_file {
        let chain = certificates("x5c_file", path)?;
        let chain = chain.iter().map(|der| STANDARD.encode_to_string(der));
        header.x5c = Some(chain.collect());
    }
    let now = Timestamp::now().as_second();
    let claims = json!({
        "iss": settings.client_id, "sub": settings.client_id, "aud": settings.token_url.to_string(),
        "jti": format!("{:032x}", fastrand::u128(..)), "iat": now, "exp": now + ASSERTED_FOR,
    });
    let signed = jwt::sign(&header, &claims, &signing_key);
    signed.map_err(FileError::of("private_key_file", &key.file))
}

pub(super) async fn ask(
    settings: &OAuthSettings,
    request: TokenRequest,
    limit: Duration,
) -> Result<Token, NoToken> {
    let (server, asked) = (settings.server(), Instant::now());
    let answer = fetch(request, &settings.tls, Reach::Everything, limit).await;
    let answer = answer.map_err(|error| NoToken::unanswered(format!("{server}: {error}")))?;
    read(server, asked, answer.status(), answer.body())
}

fn read(server: &str, asked: Instant, status: StatusCode, body: &[u8]) -> Result<Token, NoToken> {
    let no_token = |word, detail| Err(NoToken { word, detail });
    if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS {
        let detail = format!("{server}: status {}", status.as_u16());
        return Err(NoToken::unanswered(detail));
    }
    if !status.is_success() {
        // What else it says may repeat what it was sent.
        let answer: Json = serde_json::from_slice(body).unwrap_or_default();
        let is_code = |code: &&str| {
            code.len() < 64 && code.bytes().all(|it| it.is_ascii_lowercase() || it == b'_')
        };
        let error = answer["error"].as_str().filter(is_code).unwrap_or_default();
        let detail = format!("{server}: status {} {error}", status.as_u16());
        return no_token("token endpoint refuses us", detail.trim_end().to_owned());
    }
    let odd = |what: &str| no_token("token endpoint gives no token", format!("{server}: {what}"));
    let Ok(answer) = serde_json::from_slice::<Answer>(body) else {
        return odd("the answer is not that of RFC 6749, section 5.1");
    };
    if !answer.token_type.eq_ignore_ascii_case("bearer") {
        return odd("the token is no bearer token");
    }
    if answer.access_token.is_empty() {
        return odd("the token is empty");
    }
    let Ok(mut value) = HeaderValue::try_from(format!("Bearer {}", answer.access_token)) else {
        return odd("a header cannot carry the token");
    };
    value.set_sensitive(true);
    let good_for = answer.expires_in.as_ref().map(lifetime);
    if good_for == Some(None) {
        return odd("expires_in is no number of seconds");
    }
    Ok(Token {
        value,
        asked,
        good_for: good_for.flatten(),
    })
}
