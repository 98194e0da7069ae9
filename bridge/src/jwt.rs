//! JSON Web Tokens (RFC 7519) with the cryptography of ring, which TLS uses too.

use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{Error, ErrorKind};
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
        RingSigner::new(*algorithm, key).map(|it| Box::new(it) as Box<dyn JwtSigner>)
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

/// # Errors
///
/// A key of another kind than the algorithm, and claims that are no JSON object.
pub(crate) fn sign(
    header: &Header,
    claims: &impl Serialize,
    key: &EncodingKey,
) -> Result<String, Error> {
    install();
    jsonwebtoken::encode(header, claims, key)
}

/// The private key of a PEM file, if it fits the algorithm.
///
/// # Errors
///
/// What is wrong, without anything of the key.
pub(crate) fn signing_key(pem: &[u8], algorithm: Algorithm) -> Result<EncodingKey, &'static str> {
    let der = PrivateKeyDer::from_pem_slice(pem).map_err(|_| "no private key in PEM")?;
    let der = der.secret_der();
    let key = match algorithm {
        Algorithm::ES256 => EncodingKey::from_ec_der(der),
        _ => EncodingKey::from_rsa_der(der),
    };
    match RingSigner::new(algorithm, &key) {
        Ok(_) => Ok(key),
        Err(_) if algorithm == Algorithm::ES256 => {
            Err("no key of P-256 in PKCS #8, as `openssl pkcs8 -topk8 -nodes` writes it")
        }
        Err(_) => Err("no RSA key of 2048 bits or more"),
    }
}

struct RingSigner {
    algorithm: Algorithm,
    key: SigningKey,
}

enum SigningKey {
    Hmac(hmac::Key),
    Rsa(Box<RsaKeyPair>, &'static dyn RsaEncoding),
    Ec(EcdsaKeyPair),
}

impl RingSigner {
    fn new(algorithm: Algorithm, key: &EncodingKey) -> Result<Self, Error> {
        let der = key.as_bytes();
        let rsa = |encoding| {
            let pair = RsaKeyPair::from_pkcs8(der).or_else(|_| RsaKeyPair::from_der(der));
            let pair = pair.map_err(|_| ErrorKind::InvalidKeyFormat)?;
            Ok::<_, Error>(SigningKey::Rsa(Box::new(pair), encoding))
        };
        let key = match algorithm {
            Algorithm::HS256 => SigningKey::Hmac(hmac::Key::new(hmac::HMAC_SHA256, der)),
            Algorithm::RS256 => rsa(&keys::RSA_PKCS1_SHA256)?,
            Algorithm::PS256 => rsa(&keys::RSA_PSS_SHA256)?,
            Algorithm::ES256 => {
                let (curve, random) = (&keys::ECDSA_P256_SHA256_FIXED_SIGNING, SystemRandom::new());
                let pair = EcdsaKeyPair::from_pkcs8(curve, der, &random);
                SigningKey::Ec(pair.map_err(|_| ErrorKind::InvalidEcdsaKey)?)
            }
            _ => return Err(ErrorKind::InvalidAlgorithm.into()),
        };
        Ok(Self { algorithm, key })
    }
}

impl Signer<Vec<u8>> for RingSigner {
    fn try_sign(&self, message: &[u8]) -> Result<Vec<u8>, signature::Error> {
        let random = &SystemRandom::new();
        let failed = |_| signature::Error::new();
        match &self.key {
            SigningKey::Hmac(key) => Ok(hmac::sign(key, message).as_ref().to_vec()),
            SigningKey::Rsa(pair, encoding) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                let signed = pair.sign(*encoding, random, message, &mut signature);
                signed.map(|()| signature).map_err(failed)
            }
            SigningKey::Ec(pair) => {
                let signed = pair.sign(random, message);
                signed.map(|it| it.as_ref().to_vec()).map_err(failed)
            }
        }
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
