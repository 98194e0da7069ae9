//! URLs that the bridge sends requests to.

use std::net::IpAddr;

use http::Uri;
use http::uri::Scheme;

use super::problem::Fault;

/// The fault shows nothing of the URL but what its key lets it show. `allow_plain_http` is that key of the same table,
/// `None` where there is none.
pub(crate) fn checked_url(text: &str, allow_plain_http: Option<bool>) -> Result<Uri, Fault> {
    let absolute = "write https://host/path";
    let url: Uri = text
        .parse()
        .map_err(|_| Fault::new("not a URL", absolute))?;
    let Some(authority) = url.authority() else {
        return Err(Fault::new("not an absolute URL", absolute));
    };
    if authority.as_str().contains('@') {
        let remedy = "name them in a table [credentials.NAME] instead";
        return Err(Fault::new("credentials in a URL", remedy));
    }
    if text.contains('#') {
        return Err(Fault::new("a fragment is never sent", "leave it out"));
    }
    if url.host().is_none_or(str::is_empty) {
        return Err(Fault::new("no host", absolute));
    }
    if url.host() != Some(authority.as_str()) && url.port().is_none() {
        let remedy = "write a number below 65536 behind the colon, or no colon";
        return Err(Fault::new("no port that there is", remedy));
    }
    if ![Some(&Scheme::HTTPS), Some(&Scheme::HTTP)].contains(&url.scheme()) {
        return Err(Fault::new("neither https nor http", absolute));
    }
    if leaves_unprotected(&url) && allow_plain_http != Some(true) {
        let remedy = match allow_plain_http {
            Some(_) => "use https, or set allow_plain_http = true to send events unprotected",
            None => "use https",
        };
        return Err(Fault::new("plain HTTP leaves this machine", remedy));
    }
    Ok(url)
}

pub(crate) fn leaves_unprotected(url: &Uri) -> bool {
    url.scheme() == Some(&Scheme::HTTP) && !url.host().is_some_and(is_loopback)
}

pub(crate) fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || address
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}
