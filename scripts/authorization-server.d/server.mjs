// Grants tokens for client credentials: JWTs, signed with `signing_key_file` (PEM, P-256). The file has `port`, `lifetime`
// (seconds of a token), `ahead` (seconds by which its clock is) and `clients` in the words of RFC 7591, with
// `public_key_file` (PEM) for the keys of one. Prints a line once it listens.
import { createPrivateKey, createPublicKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { Provider } from "oidc-provider";

const { port, lifetime, ahead, signing_key_file, clients } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const now = Date.now;
Date.now = () => now() + ahead * 1000;
const signingKey = createPrivateKey(readFileSync(signing_key_file)).export({ format: "jwk" });
const events = { scope: "events", accessTokenFormat: "jwt", jwt: { sign: { alg: "ES256" } } };
const jwks = (file) => ({ keys: [createPublicKey(readFileSync(file)).export({ format: "jwk" })] });
const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: clients.map(({ public_key_file, ...client }) => ({
    grant_types: ["client_credentials"],
    redirect_uris: [],
    response_types: [],
    scope: "events",
    id_token_signed_response_alg: "ES256",
    ...(public_key_file && { jwks: jwks(public_key_file) }),
    ...client,
  })),
  clientAuthMethods: ["client_secret_basic", "client_secret_post", "private_key_jwt"],
  enabledJWA: { clientAuthSigningAlgValues: ["RS256", "PS256", "ES256"] },
  features: {
    clientCredentials: { enabled: true },
    devInteractions: { enabled: false },
    resourceIndicators: { defaultResource: () => "urn:events", getResourceServerInfo: () => events },
  },
  jwks: { keys: [{ ...signingKey, alg: "ES256", use: "sig" }] },
  scopes: ["events"],
  ttl: { ClientCredentials: lifetime },
});
provider.listen(port, "127.0.0.1", () => console.log(`listens on 127.0.0.1:${port}`));
