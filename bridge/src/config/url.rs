//! URLs that the bridge sends requests to.

use std::net::IpAddr;

use http::Uri;
use http::uri::Scheme;

use super::problem::Fault;

/// The fault shows nothing of the URL but what its key lets it show. `allow_plain_http` is that key of the same table,
/// `None` where there is none.
pub(crate) fn checked_url(text: &str, allow_plain_http: Option<bool>) -> Result<Uri, Fault> {
    let absolute = "write https://host/path";
    let Ok(url) = text.parse::<Uri>() else {
        return Err(Fault::new("not a URL", absolute));
    };
    let Some(authority) = url.authority() else {
        return Err(Fault::new("not an absolute URL", absolute));
    };
    let (what, remedy) = if authority.as_str().contains('@') {
        let remedy = "name them in a table [credentials.NAME] instead";
        ("credentials in a URL", remedy)
    } else if text.contains('#') {
        ("a fragment is never sent", "leave it out")
    } else if url.host().is_none_or(str::is_empty) {
        ("no host", absolute)
    } else if url.host() != Some(authority.as_str()) && url.port().is_none() {
        let remedy = "write a number below 65536 behind the colon, or no colon";
        ("no port that there is", remedy)
    } else if ![Some(&Scheme::HTTPS), Some(&Scheme::HTTP)].contains(&url.scheme()) {
        ("neither https nor http", absolute)
    } else if leaves_unprotected(&url) && allow_plain_http != Some(true) {
        let remedy = match allow_plain_http {
            Some(_) => "use https, or set allow_plain_http = true to send events unprotected",
            None => "use https",
        };
        ("plain HTTP leaves this machine", remedy)
    } else {
        return Ok(url);
    };
    Err(Fault::new(what, remedy))
}

pub(crate) fn leaves_unprotected(url: &Uri) -> bool {
    url.scheme() == Some(&Scheme::HTTP) && !url.host().is_some_and(is_loopback)
}

pub(crate) fn is_loopback(host: &str) -> bool {
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}
