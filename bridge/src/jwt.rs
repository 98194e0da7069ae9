//! JSON Web Tokens (RFC 7519) with the cryptography of ring, which TLS uses too.

use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::Error;
use jsonwebtoken::signature::{self, Signer, Verifier};
use jsonwebtoken::{Algorithm, DecodingKey, DecodingKeyKind as Kind, EncodingKey, Header};
use ring::error::Unspecified;
use ring::hmac;
use ring::rand::SystemRandom;
use ring::signature as keys;
use ring::signature::{
    EcdsaKeyPair, RsaEncoding, RsaKeyPair, RsaParameters, RsaPublicKeyComponents,
    UnparsedPublicKey, VerificationAlgorithm,
};
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::PemObject;
use serde::Serialize;

/// The library asks for its cryptography by this, once for a process.
static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: |algorithm, key| {
        let (algorithm, key) = (*algorithm, key.clone());
        Ok(Box::new(RingSigner { algorithm, key }))
    },
    verifier_factory: |algorithm, key| {
        let (algorithm, key) = (*algorithm, key.clone());
        Ok(Box::new(RingVerifier { algorithm, key }))
    },
    key_utils: KeyUtils::new_unimplemented(),
};

/// Before anything of the library is asked to sign or verify.
pub(crate) fn install() {
    // Whoever was first used the same.
    PROVIDER.install_default().ok();
}

/// Fails with a key of another kind than the algorithm, and with claims that are no JSON object.
pub(crate) fn sign(
    header: &Header,
    claims: &impl Serialize,
    key: &EncodingKey,
) -> Result<String, Error> {
    install();
    jsonwebtoken::encode(header, claims, key)
}

/// The private key of a PEM file, if it fits the algorithm. The error shows nothing of the key.
pub(crate) fn signing_key(pem: &[u8], algorithm: Algorithm) -> Result<EncodingKey, &'static str> {
    let der = PrivateKeyDer::from_pem_slice(pem).map_err(|_| "no private key in PEM")?;
    let der = der.secret_der();
    let key = match algorithm {
        Algorithm::ES256 => EncodingKey::from_ec_der(der),
        _ => EncodingKey::from_rsa_der(der),
    };
    let signer = RingSigner { algorithm, key };
    match signer.signature(b"") {
        Ok(_) => Ok(signer.key),
        Err(_) if algorithm == Algorithm::ES256 => {
            Err("no key of P-256 in PKCS #8, as `openssl pkcs8 -topk8 -nodes` writes it")
        }
        Err(_) => Err("no RSA key of 2048 bits or more"),
    }
}

struct RingSigner {
    algorithm: Algorithm,
    key: EncodingKey,
}

impl RingSigner {
    fn signature(&self, message: &[u8]) -> Result<Vec<u8>, Unspecified> {
        let (der, random) = (self.key.as_bytes(), SystemRandom::new());
        let rsa = |encoding: &'static dyn RsaEncoding| {
            let pair = RsaKeyPair::from_pkcs8(der).or_else(|_| RsaKeyPair::from_der(der))?;
            let mut signature = vec![0; pair.public().modulus_len()];
            pair.sign(encoding, &random, message, &mut signature)?;
            Ok::<_, Unspecified>(signature)
        };
        match self.algorithm {
            Algorithm::HS256 => {
                let key = hmac::Key::new(hmac::HMAC_SHA256, der);
                Ok(hmac::sign(&key, message).as_ref().to_vec())
            }
            Algorithm::RS256 => rsa(&keys::RSA_PKCS1_SHA256),
            Algorithm::PS256 => rsa(&keys::RSA_PSS_SHA256),
            Algorithm::ES256 => {
                let curve = &keys::ECDSA_P256_SHA256_FIXED_SIGNING;
                let pair = EcdsaKeyPair::from_pkcs8(curve, der, &random)?;
                Ok(pair.sign(&random, message)?.as_ref().to_vec())
            }
            _ => Err(Unspecified),
        }
    }
}

impl Signer<Vec<u8>> for RingSigner {
    fn try_sign(&self, message: &[u8]) -> Result<Vec<u8>, signature::Error> {
        let signed = self.signature(message);
        signed.map_err(|_| signature::Error::new())
    }
}

impl JwtSigner for RingSigner {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}

struct RingVerifier {
    algorithm: Algorithm,
    key: DecodingKey,
}

impl Verifier<Vec<u8>> for RingVerifier {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> Result<(), signature::Error> {
        let by_key = |algorithm: &'static dyn VerificationAlgorithm, key: &[u8]| {
            UnparsedPublicKey::new(algorithm, key).verify(message, signature)
        };
        let by_rsa = |parameters: &RsaParameters, n: &[u8], e: &[u8]| {
            RsaPublicKeyComponents { n, e }.verify(parameters, message, signature)
        };
        let verified = match (self.algorithm, self.key.kind()) {
            (Algorithm::ES256, Kind::SecretOrDer(key)) => {
                by_key(&keys::ECDSA_P256_SHA256_FIXED, key)
            }
            (Algorithm::EdDSA, Kind::SecretOrDer(key)) => by_key(&keys::ED25519, key),
            (Algorithm::RS256, Kind::RsaModulusExponent { n, e }) => {
                by_rsa(&keys::RSA_PKCS1_2048_8192_SHA256, n, e)
            }
            (Algorithm::PS256, Kind::RsaModulusExponent { n, e }) => {
                by_rsa(&keys::RSA_PSS_2048_8192_SHA256, n, e)
            }
            // What is signed with a secret is made here, and verified by others.
            _ => Err(Unspecified),
        };
        verified.map_err(|_| signature::Error::new())
    }
}

impl JwtVerifier for RingVerifier {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}
