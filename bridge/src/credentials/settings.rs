//! The keys of `[credentials.NAME]`; one of them says which kind it is.

use std::path::PathBuf;

use http::Uri;
use http::header::AUTHORIZATION;
use jsonwebtoken::Algorithm;

use super::secret_header::{Form, SecretSettings};
use super::token_client::TokenClient;
use super::{BearerToken, BrokerCredential, Credential};
use crate::config::url::checked_url;
use crate::config::{Fault, Reported, SecretPlace, Table, Words, read_secret};
use crate::tls::ClientTls;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CredentialSettings {
    Secret(SecretSettings),
    OAuth(Box<OAuthSettings>),
}

impl CredentialSettings {
    pub(crate) fn is_bearer(&self) -> bool {
        match self {
            Self::Secret(SecretSettings { form, .. }) => {
                matches!(form, Form::Bearer | Form::Zgw { .. })
            }
            Self::OAuth(_) => true,
        }
    }

    /// `None` where it is a header and nothing else.
    pub(crate) fn for_broker(&self) -> Option<BrokerCredential> {
        let settings = match self {
            Self::OAuth(settings) => {
                let client = TokenClient::shared(settings);
                return Some(BrokerCredential::Token(BearerToken::Renewed(client)));
            }
            Self::Secret(settings) => settings,
        };
        // It could be read a moment ago.
        let secret = read_secret(&settings.place).unwrap_or_default();
        let secret = secret.trim().into();
        match &settings.form {
            Form::Bearer => Some(BrokerCredential::Token(BearerToken::Fixed(secret))),
            Form::Basic { user } => Some(BrokerCredential::Password {
                user: user.clone(),
                password: secret,
            }),
            _ => None,
        }
    }

    pub(crate) fn bearer(place: SecretPlace) -> Self {
        let form = Form::Bearer;
        Self::Secret(SecretSettings { place, form })
    }
}

/// OAuth 2.0, the grant of client credentials (RFC 6749, section 4.4).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct OAuthSettings {
    pub(super) token_url: Uri,
    pub(super) client_id: String,
    pub(super) authentication: ClientAuthentication,
    pub(super) scopes: Vec<String>,
    pub(super) audience: Option<String>,
    pub(super) tls: ClientTls,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum ClientAuthentication {
    SecretBasic(SecretPlace),
    SecretPost(SecretPlace),
    PrivateKeyJwt(PrivateKey),
    /// RFC 8705, section 2.1
    Tls,
}

/// RFC 7523, section 2.2
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct PrivateKey {
    pub(super) algorithm: Algorithm,
    pub(super) file: PathBuf,
    pub(super) key_id: Option<String>,
    pub(super) x5c_file: Option<PathBuf>,
}

/// The names of RFC 7591 and the registry that it began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AuthenticationMethod {
    ClientSecretBasic,
    ClientSecretPost,
    PrivateKeyJwt,
    TlsClientAuth,
}

impl Words for AuthenticationMethod {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("client_secret_basic", Self::ClientSecretBasic),
        ("client_secret_post", Self::ClientSecretPost),
        ("private_key_jwt", Self::PrivateKeyJwt),
        ("tls_client_auth", Self::TlsClientAuth),
    ];
}

impl Words for Algorithm {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("RS256", Self::RS256),
        ("PS256", Self::PS256),
        ("ES256", Self::ES256),
    ];
}

type Read = fn(&Table<'_>) -> Result<CredentialSettings, Reported>;

pub(crate) const CREDENTIALS: &[(&str, Read)] = &[
    ("token", bearer),
    ("authorization", authorization),
    ("password", basic),
    ("api_key", api_key),
    ("zgw_secret", zgw),
    ("token_url", oauth),
];

pub(crate) fn read(table: &Table<'_>) -> Result<CredentialSettings, Reported> {
    let none = "says nothing of what proves who we are";
    let several = "proves in more than one way who we are";
    let (_, read) = table.choose(CREDENTIALS, [none, several])?;
    read(table)
}

fn bearer(table: &Table<'_>) -> Result<CredentialSettings, Reported> {
    secret(table, "token", "a bearer token", Ok(Form::Bearer))
}

fn authorization(table: &Table<'_>) -> Result<CredentialSettings, Reported> {
    let what = "the whole value of the header `Authorization`, scheme included";
    let header = AUTHORIZATION;
    secret(table, "authorization", what, Ok(Form::Whole { header }))
}

fn basic(table: &Table<'_>) -> Result<CredentialSettings, Reported> {
    let user = table.key("user", "name of the user, without a colon (RFC 7617)");
    let user = user.must(has_no_colon).required();
    let form = user.map(|user| Form::Basic { user });
    secret(table, "password", "the password of `user`", form)
}

fn has_no_colon(user: &str) -> Result<(), Fault> {
    let what = "has a colon, which ends the name of a user";
    Fault::unless(!user.contains(':'), what, "write the name alone")
}

fn api_key(table: &Table<'_>) -> Result<CredentialSettings, Reported> {
    let meaning = "name of the header that it goes in";
    let header = table.key("header", meaning).or("X-Api-Key");
    let form = header.map(|header| Form::Whole { header });
    secret(table, "api_key", "the key", form)
}

fn zgw(table: &Table<'_>) -> Result<CredentialSettings, Reported> {
    let meaning = "who asks, as the receiver knows it; `iss` and `client_id` of the token";
    let client_id = table.key("client_id", meaning).required();
    let meaning = "`user_id` of the token, for the receiver's audit trail";
    let user_id = table.key("user_id", meaning).or("cenl-bridge");
    let meaning = "`user_representation` of the token, for the receiver's audit trail";
    let user_representation = table.key("user_representation", meaning).or("cenl-bridge");
    let form = client_id.and_then(|client_id| {
        Ok(Form::Zgw {
            client_id,
            user_id: user_id?,
            user_representation: user_representation?,
        })
    });
    let what = "what signs the tokens of the APIs for zaakgericht werken (HS256), which are made anew every minute";
    secret(table, "zgw_secret", what, form)
}

fn secret(
    table: &Table<'_>,
    key: &'static str,
    what: &str,
    form: Result<Form, Reported>,
) -> Result<CredentialSettings, Reported> {
    let meaning = format!(
        "{what}: `{{ file = \"…\" }}` or `{{ env = \"…\" }}`; read at start, and a file when it changes and \
         when the answer is 401: a new one is tried at once"
    );
    let place = table.key::<SecretPlace>(key, meaning).required();
    let (place, form) = (place?, form?);
    let settings = CredentialSettings::Secret(SecretSettings { place, form });
    if let Err(what) = Credential::open(&settings) {
        let remedy = "make it one line that the bridge can read";
        return Err(table.report(&[key], what, remedy));
    }
    Ok(settings)
}

fn oauth(table: &Table<'_>) -> Result<CredentialSettings, Reported> {
    let meaning =
        "token endpoint of the authorization server, an `https` URL; `http` reaches loopback only";
    let token_url = table.key::<String>("token_url", meaning).required();
    let token_url = token_url.and_then(|url| {
        checked_url(&url, None).map_err(|fault| table.fault(&["token_url"], fault))
    });
    let client_id = table.key("client_id", "who we are there").required();
    let meaning = "how we prove it there: `client_secret_basic`, `client_secret_post`, `private_key_jwt` or \
                   `tls_client_auth` (with `certificate_file` and `key_file`)";
    let method = table.key("client_authentication", meaning);
    let authentication = authentication(table, method.or("client_secret_basic"));
    let scopes = table.key("scopes", "scopes to ask for").optional("none");
    let meaning = "`audience` to ask for, where the server knows it";
    let audience = table.key("audience", meaning).optional("none");
    let tls = ClientTls::read(table);
    let settings = OAuthSettings {
        token_url: token_url?,
        client_id: client_id?,
        authentication: authentication?,
        scopes: scopes?.unwrap_or_default(),
        audience: audience?,
        tls: tls?,
    };
    settings.tls.prove(table);
    if let Err((key, what)) = super::request::prepare(&settings) {
        table.report(&[key], what, "correct what it names");
    }
    table.sound()?;
    Ok(CredentialSettings::OAuth(Box::new(settings)))
}

/// Describes the keys of every method, and takes those of one.
fn authentication(
    table: &Table<'_>,
    method: Result<AuthenticationMethod, Reported>,
) -> Result<ClientAuthentication, Reported> {
    let meaning = "our secret there: `{ file = \"…\" }` or `{ env = \"…\" }`, read for each token";
    let client_secret = table.key::<SecretPlace>("client_secret", meaning);
    let client_secret =
        client_secret.optional("none: needed by `client_secret_basic` and `client_secret_post`");
    let meaning = "PEM file of the key that signs with `private_key_jwt`, read for each token";
    let private_key_file = table.key::<PathBuf>("private_key_file", meaning);
    let private_key_file = private_key_file.optional("none: needed by `private_key_jwt`");
    let meaning = "with `private_key_jwt`: `RS256`, `PS256` or `ES256`";
    let algorithm = table.key("algorithm", meaning).or("RS256");
    let key_id = table.key("key_id", "with `private_key_jwt`: `kid` of the key");
    let key_id = key_id.optional("none");
    let meaning =
        "with `private_key_jwt`: PEM file of the certificates that go along as `x5c`, ours first";
    let x5c_file = table.key("x5c_file", meaning).optional("none");
    let missing = |key: &'static str| {
        let remedy = "name it, or choose another client_authentication";
        table.report(&[key], "is missing for this client_authentication", remedy)
    };
    let secret = || client_secret?.ok_or_else(|| missing("client_secret"));
    Ok(match method? {
        AuthenticationMethod::ClientSecretBasic => ClientAuthentication::SecretBasic(secret()?),
        AuthenticationMethod::ClientSecretPost => ClientAuthentication::SecretPost(secret()?),
        AuthenticationMethod::PrivateKeyJwt => ClientAuthentication::PrivateKeyJwt(PrivateKey {
            algorithm: algorithm?,
            file: private_key_file?.ok_or_else(|| missing("private_key_file"))?,
            key_id: key_id?,
            x5c_file: x5c_file?,
        }),
        AuthenticationMethod::TlsClientAuth if !table.has("certificate_file") => {
            return Err(missing("certificate_file"));
        }
        AuthenticationMethod::TlsClientAuth => ClientAuthentication::Tls,
    })
}

impl OAuthSettings {
    pub(super) fn server(&self) -> &str {
        self.token_url.host().unwrap_or_default()
    }
}
