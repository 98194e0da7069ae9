// Grants tokens for client credentials. The file has `port`, `lifetime` (seconds of a token) and `clients` in the
// words of RFC 7591, with `public_key_file` (PEM) for the keys of one. With `audience` tokens are JWTs for it, signed by RS256 with the key
// in `signing_key_file` (PEM), whose id is `signing_key_id`. Prints a line once it listens.
import { createPrivateKey, createPublicKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { Provider } from "oidc-provider";

const { port, lifetime, clients, audience, signing_key_file, signing_key_id } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const jwks = (file) => ({ keys: [createPublicKey(readFileSync(file)).export({ format: "jwk" })] });
const signing = audience && {
  ...createPrivateKey(readFileSync(signing_key_file)).export({ format: "jwk" }),
  ...{ alg: "RS256", kid: signing_key_id, use: "sig" },
};
const resource = {
  audience,
  scope: "events",
  accessTokenFormat: "jwt",
  accessTokenTTL: lifetime,
  jwt: { sign: { alg: "RS256" } },
};
const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: clients.map(({ public_key_file, ...client }) => ({
    grant_types: ["client_credentials"],
    redirect_uris: [],
    response_types: [],
    scope: "events",
    ...(public_key_file && { jwks: jwks(public_key_file) }),
    ...client,
  })),
  clientAuthMethods: ["client_secret_basic", "client_secret_post", "private_key_jwt"],
  enabledJWA: { clientAuthSigningAlgValues: ["RS256", "PS256", "ES256"] },
  features: {
    clientCredentials: { enabled: true },
    devInteractions: { enabled: false },
    ...(audience && {
      resourceIndicators: {
        enabled: true,
        defaultResource: () => audience,
        getResourceServerInfo: () => resource,
        useGrantedResource: () => true,
      },
    }),
  },
  ...(audience && { jwks: { keys: [signing] } }),
  scopes: ["events"],
  ttl: { ClientCredentials: lifetime },
});
provider.listen(port, "127.0.0.1", () => console.log(`listens on 127.0.0.1:${port}`));
