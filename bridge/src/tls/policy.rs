//! Which versions and suites of TLS are spoken, as the Dutch NCSC rates them in its guidelines for TLS.

use std::sync::Arc;

use rustls::SupportedProtocolVersion;
use rustls::crypto::{CryptoProvider, ring};
use rustls::version::{TLS12, TLS13};

use crate::config::Words;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum TlsPolicy {
    /// TLS 1.3.
    NcscGood,
    /// TLS 1.2 too, which is rated no higher since version 2.1 (2021).
    #[default]
    NcscSufficient,
}

impl Words for TlsPolicy {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("ncsc-good", Self::NcscGood),
        ("ncsc-sufficient", Self::NcscSufficient),
    ];
}

impl TlsPolicy {
    pub(crate) fn versions(self) -> &'static [&'static SupportedProtocolVersion] {
        static VERSIONS: [&SupportedProtocolVersion; 2] = [&TLS13, &TLS12];
        match self {
            Self::NcscGood => &VERSIONS[..1],
            Self::NcscSufficient => &VERSIONS,
        }
    }

    /// Of each version it has no other suites than ECDHE with AEAD.
    pub(crate) fn provider() -> Arc<CryptoProvider> {
        Arc::new(ring::default_provider())
    }
}

#[cfg(test)]
mod tests {
    use rustls::SupportedCipherSuite;

    use super::*;

    /// A release of rustls or ring that adds one must be read against the guidelines, and `config/README.md`.
    #[test]
    fn the_suites_and_groups_are_those_of_the_readme() {
        let provider = TlsPolicy::provider();
        let suites = |policy: TlsPolicy| -> Vec<_> {
            let versions = policy.versions();
            let suites = provider.cipher_suites.iter();
            let spoken = suites.filter(|suite| versions.contains(&suite.version()));
            spoken
                .map(SupportedCipherSuite::suite)
                .map(|suite| format!("{suite:?}"))
                .collect()
        };
        let good = [
            "TLS13_AES_256_GCM_SHA384",
            "TLS13_AES_128_GCM_SHA256",
            "TLS13_CHACHA20_POLY1305_SHA256",
        ];
        let sufficient = [
            "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
            "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
            "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
            "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
            "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
            "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
        ];
        assert_eq!(suites(TlsPolicy::NcscGood), good);
        let both: Vec<_> = good.into_iter().chain(sufficient).collect();
        assert_eq!(suites(TlsPolicy::NcscSufficient), both);
        let groups = provider.kx_groups.iter();
        let groups: Vec<_> = groups.map(|group| format!("{:?}", group.name())).collect();
        assert_eq!(groups, ["X25519", "secp256r1", "secp384r1"]);
    }
}
