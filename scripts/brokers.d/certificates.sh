# shellcheck shell=bash disable=SC2154 # scripts/brokers sets what is not set here.
# Certificates for the TLS listeners and for HTTPS in the tests, made once by openssl.
#
#   ca.pem                    the private root that signed the rest
#   server.pem server.key     a server on 127.0.0.1 and localhost: the broker, and HTTPS receivers
#   client.pem client.key     a client, for listeners that demand a certificate
#   broker-keystore.pem       server key, certificate and root in one file, as Kafka wants it
#   tokens.key                signs tokens for OAUTHBEARER, an RSA key
#   tokens.jwks.json          its public half, by which the broker checks them
#
# Other keys are P-256; all are in PKCS#8. They protect nothing but loopback, so they are readable to all: a broker
# in a container runs as another user.

# Makes the certificates, unless there are some that hold for another day.
make_certificates() {
  if openssl x509 -in "$certificates/server.pem" -noout -checkend 86400 >/dev/null 2>&1; then
    return
  fi
  say "making certificates in $certificates"
  local new
  new=$(mktemp -d "$home/certificates.XXXXXX")
  (
    cd "$new" || exit
    issue ca '/CN=test root' -addext 'basicConstraints=critical,CA:TRUE' \
      -addext 'keyUsage=critical,keyCertSign,cRLSign'
    issue server '/CN=localhost' -CA ca.pem -CAkey ca.key -addext 'basicConstraints=CA:FALSE' \
      -addext 'keyUsage=critical,digitalSignature' -addext 'extendedKeyUsage=serverAuth' \
      -addext 'subjectAltName=IP:127.0.0.1,DNS:localhost'
    issue client '/CN=bridge' -CA ca.pem -CAkey ca.key -addext 'basicConstraints=CA:FALSE' \
      -addext 'keyUsage=critical,digitalSignature' -addext 'extendedKeyUsage=clientAuth'
    cat server.key server.pem ca.pem >broker-keystore.pem
    rm ca.key
    chmod 755 . && chmod 644 ./*
  )
  rm -rf "$certificates"
  mv "$new" "$certificates"
}

# Makes the key of tokens, unless it is there.
make_token_key() {
  local key=$certificates/tokens.key keys=$certificates/tokens.jwks.json modulus
  [[ ! -e $keys ]] || return 0
  openssl genpkey -quiet -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out "$key"
  modulus=$(openssl rsa -in "$key" -noout -modulus | sed 's/^Modulus=//' |
    basenc --base16 --decode | basenc --base64url --wrap=0 | tr -d =)
  printf '{"keys":[{"kty":"RSA","use":"sig","alg":"RS256","kid":"tokens","e":"AQAB","n":"%s"}]}\n' \
    "$modulus" >"$keys"
  chmod 644 "$key" "$keys"
}

# issue NAME SUBJECT [OPTION…]: NAME.key, and NAME.pem, signed by itself unless the options say else.
# The configuration is empty so that the machine's own adds nothing.
issue() {
  openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1.key"
  openssl req -x509 -new -key "$1.key" -subj "$2" -days 3650 -out "$1.pem" \
    -config <(printf '[req]\ndistinguished_name = name\n[name]\n') "${@:3}"
}
