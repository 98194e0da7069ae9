//! What the bridge says in English, in its log and under `/v1` too, in Dutch.

const DUTCH: &[(&str, &str)] = &[
    ("is starting", "zij start op"),
    ("its source has not joined", "de bron is nog niet verbonden"),
    (
        "correct the token or password that the sink names",
        "verbeter het token of wachtwoord dat de sink noemt",
    ),
    (
        "let the destination permit what is sent",
        "laat de bestemming toestaan wat er wordt verstuurd",
    ),
    (
        "correct the address of the sink",
        "verbeter het adres van de sink",
    ),
    (
        "give the route another destination, or take it out, and restart",
        "geef de route een andere bestemming, of haal haar weg, en herstart",
    ),
    (
        "wait; if it stays, see why the destination takes so little",
        "wacht; blijft het zo, zoek dan uit waarom de bestemming zo weinig aanneemt",
    ),
    (
        "look into the log of the destination",
        "kijk in het log van de bestemming",
    ),
    (
        "see that the destination runs, and that DNS, network and address lead to it",
        "ga na of de bestemming draait, en of DNS, netwerk en adres ernaartoe leiden",
    ),
    (
        "see why the destination does not answer in time",
        "zoek uit waarom de bestemming niet op tijd antwoordt",
    ),
    (
        "correct the credentials of the connection",
        "verbeter de inloggegevens van de verbinding",
    ),
    (
        "permit the user of the connection to write",
        "geef de gebruiker van de verbinding het recht om te schrijven",
    ),
    (
        "name the root of its certificate in ca_file",
        "noem het stamcertificaat van de bestemming in ca_file",
    ),
    (
        "correct the host of the address, or the certificate",
        "verbeter de hostnaam in het adres, of het certificaat",
    ),
    (
        "let the destination renew its certificate, or correct a clock",
        "laat de bestemming haar certificaat vernieuwen, of zet een klok gelijk",
    ),
    (
        "correct what the cause names, there or in settings",
        "verbeter wat de oorzaak noemt, daar of in de instellingen",
    ),
    ("correct the event", "verbeter de gebeurtenis"),
    (
        "correct the receiver, or how it is sent events: the hold ends when it takes one, and replay sends \
         those again that were given up before",
        "verbeter de ontvanger, of hoe hem gebeurtenissen worden gestuurd: zodra hij er één aanneemt gaat de \
         route verder, en replay verstuurt opnieuw wat eerder is opgegeven",
    ),
];

pub(super) fn in_dutch(text: &str) -> Option<&'static str> {
    let (_, dutch) = DUTCH.iter().find(|(english, _)| *english == text)?;
    Some(dutch)
}
