//! What is wrong with a command, or with what people write beside the messages, in their language.

use super::{check, run};

#[test]
fn faults_in_waivers_are_told_all_at_once() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("waivers.toml");
    std::fs::write(
        &path,
        "[[waiver]]\nrule = \"CE-ID-22\"\nuntil = \"ooit\"\nreason = \"r\"\n",
    )
    .unwrap();
    let path = path.to_str().unwrap();
    for (words, [owner, rule, until]) in [
        (
            &[][..],
            [
                "ontbreekt",
                "geen regel heeft deze naam; bedoelde u CE-ID-2?",
                "geen datum in de vorm 2027-01-31",
            ],
        ),
        (
            &["--lang", "en"],
            [
                "missing",
                "no rule has this name; did you mean CE-ID-2?",
                "no date of the form 2027-01-31",
            ],
        ),
    ] {
        let said = check(&[words, &["good.json", "--waivers", path]].concat());
        let expected = format!(
            "cenl-conformance: {path}:1: owner: {owner}\n\
             cenl-conformance: {path}:2: rule = \"CE-ID-22\": {rule}\n\
             cenl-conformance: {path}:3: until = \"ooit\": {until}\n"
        );
        assert_eq!(
            (said.code, &*said.out, said.errors),
            (Some(2), "", expected)
        );
    }
}

#[test]
fn faults_in_waivers_hide_none_in_declarations() {
    let folder = tempfile::TempDir::new().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let waivers = write("waivers.toml", "[[waver]]\nrule = \"CE-ATTR-1\"\n");
    let declarations = write("declarations.toml", "[[declaration]]\nrule = \"CE-ID-1\"\n");
    let words = ["--waivers", &waivers, "--declarations", &declarations];
    let dutch = [
        format!("{waivers}:1: waver: onbekend; het bestand bevat tabellen [[waiver]]"),
        format!("{waivers}:1: owner: ontbreekt"),
        format!("{waivers}:2: rule = \"CE-ATTR-1\": vat alleen CE-ID-1, CE-SOURCE-1"),
        format!("{declarations}:1: owner: ontbreekt"),
        format!("{declarations}:2: rule = \"CE-ID-1\": vraagt geen verklaring"),
    ];
    let english = [
        format!("{waivers}:1: waver: unknown; the file holds [[waiver]] tables"),
        format!("{waivers}:1: owner: missing"),
        format!("{waivers}:2: rule = \"CE-ATTR-1\": only sums up CE-ID-1, CE-SOURCE-1"),
        format!("{declarations}:1: owner: missing"),
        format!("{declarations}:2: rule = \"CE-ID-1\": is not a rule to declare"),
    ];
    for (language, told) in [("--lang=nl", dutch), ("--lang=en", english)] {
        let said = check(&[&words[..], &[language, "good.json"]].concat());
        for expected in told {
            let line = format!("cenl-conformance: {expected}");
            let is_told = said.errors.lines().any(|told| told.starts_with(&line));
            assert!(is_told, "{expected}: {}", said.errors);
        }
        assert_eq!((said.code, &*said.out), (Some(2), ""));
    }
}

#[test]
fn a_key_outside_of_tables_hides_nothing() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("waivers.toml");
    std::fs::write(
        &path,
        "until = 2027-01-01\nwaived = [1979-05-27T07:32:00Z]\n[[waiver]]\nrule = \"CE-ID-22\"\nuntil = 2027-01-01\nreason = \"r\"\n",
    )
    .unwrap();
    let path = path.to_str().unwrap();
    let said = check(&["--lang", "en", "good.json", "--waivers", path]);
    let expected = format!(
        "cenl-conformance: {path}:1: until: unknown; the file holds [[waiver]] tables\n\
         cenl-conformance: {path}:2: waived: unknown; the file holds [[waiver]] tables\n\
         cenl-conformance: {path}:3: owner: missing\n\
         cenl-conformance: {path}:4: rule = \"CE-ID-22\": no rule has this name; did you mean CE-ID-2?\n"
    );
    assert_eq!(said.errors, expected);
    assert_eq!(said.code, Some(2));
}

#[test]
fn what_is_wrong_with_a_command_is_told_in_its_language() {
    for (words, dutch, english) in [
        (&["check"][..], "er ontbreekt: <FILE>", "<FILE>"),
        (
            &["check", "--unheard-of", "a"],
            "onbekende optie: '--unheard-of'",
            "unexpected argument '--unheard-of'",
        ),
        (
            &["check", "--format", "xml", "a"],
            "ongeldige waarde 'xml' voor '--format <FORMAT>'; mogelijk: table, json, junit, sarif, html",
            "invalid value 'xml'",
        ),
        (
            &["check", "--today", "morgen", "a"],
            "ongeldige waarde 'morgen' voor '--today <DATE>': verwacht wordt een datum",
            "invalid value 'morgen'",
        ),
        (
            &["check", "a", "--format"],
            "er ontbreekt een waarde voor '--format <FORMAT>'",
            "a value is required",
        ),
        (
            &["check", "--no-config", "--config", "x", "a"],
            "'--no-config' en '--config <FILE>' gaan niet samen",
            "cannot be used with",
        ),
        (
            &["rules", "a"],
            "een woord te veel: 'a'",
            "unexpected argument 'a'",
        ),
        (
            &["explain", "CE-ID-99"],
            "er is geen regel met de naam",
            "no rule is named",
        ),
        (
            &["check", "a", "--waivers", "/no/such/file"],
            "/no/such/file: kan niet worden gelezen: bestand bestaat niet",
            "/no/such/file: cannot be read: No such file",
        ),
        (
            &["check", "a", "--declarations", "waivers.toml"],
            "waiver: onbekend; het bestand bevat tabellen [[declaration]]",
            "waiver: unknown; the file holds [[declaration]] tables",
        ),
    ] {
        let of = |language: &[&str]| {
            let (command, rest) = words.split_first().unwrap();
            let said = run(&[&[*command], language, rest].concat(), b"");
            assert_eq!((said.code, &*said.out), (Some(2), ""), "{words:?}");
            said.errors
        };
        for language in [&[][..], &["--lang", "nl"], &["--lang=nl"]] {
            let told = of(language);
            assert!(
                told.starts_with("cenl-conformance: ") && told.contains(dutch),
                "{told}"
            );
            assert!(!told.contains("Usage:"), "{told}");
        }
        for language in [&["--lang", "en"][..], &["--lang=en"]] {
            let told = of(language);
            assert!(
                told.contains(english) && !told.contains("Gebruik:"),
                "{told}"
            );
        }
    }
    let said = run(&["chek"], b"");
    let expected = "cenl-conformance: onbekende opdracht: 'chek'; bedoelde u 'check'?\n\nGebruik:";
    assert!(said.errors.starts_with(expected), "{}", said.errors);
}
