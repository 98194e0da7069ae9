//! What the bridge says in English, in its log and under `/v1` too, in Dutch.

use crate::server::Language;

/// A line for each, English and Dutch, with `#` for a number.
const DUTCH: &str = "\
is starting | zij start op
its source has not joined | de bron is niet aangesloten
has not run for # s | zij staat al # s stil
# partitions are read no further, see the log | # partities worden niet verder gelezen, zie het log
# events are held until somebody acts: correct the receiver and order retry now; for what can never be \
    delivered, reload with a place for dead letters, or with on_error = discard | # gebeurtenissen worden \
    vastgehouden tot iemand ingrijpt: verbeter de ontvanger en kies nu opnieuw proberen; voor wat nooit afgeleverd \
    kan worden, herlaad met een plaats voor dead letters, of met on_error = discard
dead letters cannot be written, see the log | dead letters kunnen niet geschreven worden, zie het log
its source has no connection | de bron is niet verbonden
its sink has no connection | de sink is niet verbonden
its dead_letter has no connection | de plaats voor dead letters is niet verbonden
correct the token or password that the sink names | verbeter het token of wachtwoord dat de sink noemt
let the destination permit what is sent | laat de bestemming toestaan wat er wordt verstuurd
correct the address of the sink | verbeter het adres van de sink
give the route another destination, or take it out, and reload | geef de route een andere bestemming, of haal \
    haar weg, en herlaad
wait; if it stays, see why the destination takes so little | wacht; blijft het zo, zoek dan uit waarom de \
    bestemming zo weinig aanneemt
look into the log of the destination | kijk in het log van de bestemming
see that the destination runs, and that DNS, network and address lead to it | ga na of de bestemming draait, en \
    of DNS, netwerk en adres ernaartoe leiden
see why the destination does not answer in time | zoek uit waarom de bestemming niet op tijd antwoordt
look into the destination and what is before it: it breaks its answers off, or they are no HTTP | kijk naar de \
    bestemming en wat ervoor staat: zij breekt haar antwoorden af, of het is geen HTTP
let the destination speak a version of TLS that `tls` allows; its log may say more | laat de bestemming een versie \
    van TLS spreken die `tls` toestaat; haar log kan meer zeggen
correct the port, or ask for no TLS: http:// in a URL, tls = optional for NATS | verbeter de poort, of vraag niet \
    om TLS: http:// in een URL, tls = optional voor NATS
compare root, name and dates of the certificates of both sides with `ssl.ca.location` and the address | vergelijk \
    stamcertificaat, naam en data van de certificaten aan beide kanten met `ssl.ca.location` en het adres
write https:// in the address | schrijf https:// in het adres
name a certificate in certificate_file that the destination knows and that is valid | noem in certificate_file een \
    certificaat dat de bestemming kent en dat geldig is
make room on the disk, or move the file away | maak ruimte op de schijf, of verplaats het bestand
name a file that the bridge may write, in a folder that is there; the log names the error | noem een bestand dat de \
    bridge mag schrijven, in een map die er is; het log noemt de fout
correct the credentials of the connection | verbeter de inloggegevens van de verbinding
permit the user of the connection to write | geef de gebruiker van de verbinding het recht om te schrijven
name the root of its certificate in ca_file | noem het stamcertificaat van de bestemming in ca_file
correct the host of the address, or the certificate | verbeter de hostnaam in het adres, of het certificaat
let the destination renew its certificate, or correct a clock | laat de bestemming haar certificaat vernieuwen, \
    of zet een klok gelijk
correct what the cause names, there or in settings | verbeter wat de oorzaak noemt, daar of in de instellingen
correct the event | verbeter de gebeurtenis
correct the receiver, or how it is sent events: the hold ends when it takes one; replay sends what it refused \
    before, unless on_error has it discarded | verbeter de ontvanger, of hoe hem gebeurtenissen worden gestuurd: zodra \
    hij er één aanneemt gaat de route verder; replay verstuurt wat hij eerder weigerde, tenzij on_error het laat weggooien
# | #
status # | status #
no connection | geen verbinding
receiver asked for a pause | de ontvanger vroeg om een pauze
wait until it is over | wacht tot die voorbij is
connection refused | verbinding geweigerd
connection reset | verbinding verbroken
disconnected | verbinding verbroken
closed early | te vroeg gesloten
connect timeout | geen verbinding binnen de tijd
first byte timeout | geen antwoord binnen de tijd
timeout | tijd verstreken
name resolution | naam opzoeken mislukt
network | netwerkfout
tls | TLS-fout
destination speaks no TLS | bestemming spreekt geen TLS
destination speaks TLS only | bestemming spreekt alleen TLS
malformed answer | onleesbaar antwoord
certificate | certificaat niet geldig
certificate not valid yet | certificaat nog niet geldig
CA certificate used as server certificate | CA-certificaat gebruikt als servercertificaat
certificate not for servers | certificaat niet voor servers
certificate revoked | certificaat ingetrokken
certificate without a current list of revoked ones | certificaat zonder geldige lijst van ingetrokken certificaten
see that the authorization server runs and knows us; the log says what it answered | ga na of de \
    autorisatieserver draait en ons kent; het log zegt wat hij antwoordde
let the receiver answer OPTIONS with WebHook-Allowed-Origin and WebHook-Allowed-Rate, or set handshake otherwise \
    | laat de ontvanger OPTIONS beantwoorden met WebHook-Allowed-Origin en WebHook-Allowed-Rate, of stel handshake \
    anders in
token endpoint does not answer | tokeneindpunt antwoordt niet
token endpoint refuses us | tokeneindpunt weigert ons
token endpoint gives no token | tokeneindpunt geeft geen token
what proves who we are cannot be read | wat bewijst wie wij zijn, is niet te lezen
status #, and token endpoint does not answer | status #, en tokeneindpunt antwoordt niet
status #, and token endpoint refuses us | status #, en tokeneindpunt weigert ons
status #, and token endpoint gives no token | status #, en tokeneindpunt geeft geen token
status #, and what proves who we are cannot be read | status #, en wat bewijst wie wij zijn, is niet te lezen
receiver does not consent | ontvanger stemt niet in
receiver has not consented yet, it may call back | ontvanger heeft nog niet ingestemd, en kan dat later melden
receiver consents to another origin | ontvanger stemt in met een andere herkomst
receiver allows a rate that is none | ontvanger staat een snelheid toe die er geen is
consent cannot be asked for | instemming kan niet gevraagd worden
client certificate | clientcertificaat niet aanvaard
certificate of an unknown CA | certificaat: onbekende CA
certificate for another name | certificaat: andere naam
certificate expired | certificaat verlopen
not-authenticated | niet geauthenticeerd
not-authorised | niet gemachtigd
too-large | te groot
invalid-timestamp | ongeldige tijd
illegal header name | ongeldige headernaam
illegal header value | ongeldige headerwaarde
reserved header name | gereserveerde headernaam
no-stream | stream niet gevonden
wrong-stream | een andere stream
stream-no-ack | stream bevestigt niets
stream-in-memory | stream alleen in geheugen
stream-forgets | stream bewaart niet alles
stream-sealed | stream verzegeld
stream-refuses | stream weigert
stream | fout van de stream
no-jetstream | geen JetStream
no-ack | geen bevestiging
not-stored | niet opgeslagen
no-resources | te weinig middelen
busy | bezet
client-ended | client beëindigd
sink-ended | sink beëindigd
unknown-topic | onbekend topic
invalid-record | ongeldig record
batch-refused | batch geweigerd
queue-full | wachtrij vol
no-report | geen bericht van aflevering
producer-failed | producer uitgevallen
broker | fout van de broker
disk-full | schijf vol
no-permission | geen recht op het bestand
file | fout van het bestand
writer-ended | schrijver beëindigd
not-a-dead-letter | geen dead letter
line-unreadable | regel onleesbaar
captured-in-part | ten dele bewaard
headers-unreadable | headers onleesbaar
header-name-not-utf8 | headernaam is geen UTF-8
undecodable | onleesbaar
profile | in strijd met het profiel
unwritable | niet te schrijven
refused | geweigerd
refused-alone | als enige geweigerd
exhausted | te vaak mislukt";

impl Language {
    /// What the bridge says, with the code of the language it is then in: what others say stays English.
    pub(super) fn tell(self, english: &str) -> (String, &'static str) {
        let number: String = english.chars().filter(char::is_ascii_digit).collect();
        let text = match number.is_empty() {
            true => english.to_owned(),
            false => english.replacen(&number, "#", 1),
        };
        let mut lines = DUTCH.lines().filter_map(|line| line.split_once(" | "));
        match lines.find(|(known, _)| *known == english || *known == text) {
            Some((_, dutch)) if self == Self::Dutch => (dutch.replace('#', &number), "nl"),
            _ => (english.to_owned(), "en"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::DUTCH;

    #[test]
    fn each_line_is_in_both_languages() {
        for line in DUTCH.lines() {
            let parts: Vec<_> = line.split(" | ").collect();
            let [english, dutch] = parts[..] else {
                panic!("{line}");
            };
            assert!(!english.is_empty() && !dutch.is_empty(), "{line}");
        }
    }
}
