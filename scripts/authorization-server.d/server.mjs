// Grants tokens for client credentials: JWTs for whoever checks signatures. The file has `port`, `lifetime` (seconds of a
// token), `ahead` (seconds by which its clock is), `audience` (of the tokens), `signing_key_file` (PEM, RSA) with its
// `signing_key_id`, `tls` (`port`, `certificate_file`, `key_file`, `ca_file`) for clients that show a certificate, and
// `clients` in the words of RFC 7591, with `public_key_file` (PEM) for the keys of one. Prints a line once it listens, and one
// for each token.
import { createPrivateKey, createPublicKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { Provider } from "oidc-provider";

const settings = JSON.parse(readFileSync(process.argv[2], "utf8"));
const { port, lifetime, ahead, audience, signing_key_file, signing_key_id, tls, clients } = settings;
const now = Date.now;
Date.now = () => now() + ahead * 1000;
const jwks = (file) => ({ keys: [createPublicKey(readFileSync(file)).export({ format: "jwk" })] });
const signingKey = createPrivateKey(readFileSync(signing_key_file)).export({ format: "jwk" });
const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: clients.map(({ public_key_file, ...client }) => ({
    grant_types: ["client_credentials"],
    redirect_uris: [],
    response_types: [],
    scope: "events",
    ...(public_key_file && { jwks: jwks(public_key_file) }),
    ...client,
  })),
  clientAuthMethods: ["client_secret_basic", "client_secret_post", "private_key_jwt", "tls_client_auth"],
  enabledJWA: { clientAuthSigningAlgValues: ["RS256", "PS256", "ES256"] },
  features: {
    clientCredentials: { enabled: true },
    devInteractions: { enabled: false },
    mTLS: {
      enabled: true,
      tlsClientAuth: true,
      certificateAuthorized: ({ socket }) => socket.authorized,
      certificateSubjectMatches: ({ socket }, _, expected) => `CN=${socket.getPeerCertificate().subject.CN}` === expected,
      getCertificate: ({ socket }) => socket.getPeerX509Certificate?.()?.toString(),
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => audience,
      getResourceServerInfo: () => ({
        accessTokenFormat: "jwt",
        accessTokenTTL: lifetime,
        jwt: { sign: { alg: "RS256", kid: signing_key_id } },
        scope: "events",
      }),
    },
  },
  jwks: { keys: [{ ...signingKey, alg: "RS256", kid: signing_key_id, use: "sig" }] },
  scopes: ["events"],
  ttl: { ClientCredentials: lifetime },
});
provider.on("grant.success", ({ oidc }) => console.log(`granted to ${oidc.client.clientId}`));
const read = (file) => readFileSync(file);
const options = { cert: read(tls.certificate_file), key: read(tls.key_file), ca: read(tls.ca_file) };
createServer({ ...options, requestCert: true, rejectUnauthorized: false }, provider.callback()).listen(tls.port, "127.0.0.1", () =>
  provider.listen(port, "127.0.0.1", () => console.log(`listens on 127.0.0.1:${port}`)),
);
