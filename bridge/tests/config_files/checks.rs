//! `[route.check]`

use super::*;

/// `SOUND` with a check in one of its routes.
fn checking(route: &str, lines: &str) -> String {
    let name = format!("name = \"{route}\"\n");
    let check = format!("{name}[route.check]\nprofile = \"nl-gov-1.1\"\n{lines}\n");
    SOUND.replace(&name, &check)
}

#[test]
fn a_route_checks_by_a_profile_and_does_what_its_source_can() {
    for (route, lines) in [
        ("in", ""),
        ("in", "on_violation = \"refuse\"\nlevel = \"should\""),
        ("out", "on_violation = \"count\""),
        ("out", "on_violation = \"dead-letter\""),
    ] {
        let text = checking(route, lines);
        assert_eq!(against_schema(&text), [""; 0], "{lines}");
        prove(&text, &[]).unwrap();
    }
    let held = SOUND.replace("name = \"out\"", "name = \"out\"\non_error = \"hold\"");
    let (held, _) = held.split_once("[route.dead_letter]").unwrap();
    let nowhere = "\n[route.check]\nprofile = \"nl-gov-1.1\"\non_violation = \"dead-letter\"\n";
    for (text, key, what, remedy) in [
        (
            checking("out", "on_violation = \"refuse\""),
            "route[1].check.on_violation",
            "no sender waits",
            "\"dead-letter\" or \"count\"",
        ),
        (
            checking("in", "on_violation = \"dead-letter\""),
            "route[0].check.on_violation",
            "a sender waits",
            "use \"refuse\"",
        ),
        (
            format!("{held}{nowhere}"),
            "route[1].check.on_violation",
            "no place for dead letters",
            "[route.dead_letter]",
        ),
        (
            checking("in", "level = \"may\""),
            "route[0].check.level",
            "\"must\", \"should\"",
            "correct the value",
        ),
        (
            checking("in", "").replace("nl-gov-1.1", "nl-gov-1.2"),
            "route[0].check.profile",
            "\"nl-gov-1.1\"",
            "did you mean \"nl-gov-1.0\"?",
        ),
    ] {
        let problem = problem(&text, &[]);
        assert_eq!(problem.key, key, "{problem}");
        assert!(problem.what.contains(what), "{problem}");
        assert!(problem.remedy.contains(remedy), "{problem}");
        assert!(problem.value.is_some(), "{problem}");
    }
}

#[test]
fn every_fault_of_a_file_of_waivers_is_told_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("waivers.toml");
    let lines = format!("waivers = \"{}\"", file.display());
    let text = checking("in", &lines);
    let missing = problem(&text, &[]);
    assert_eq!(missing.key, "route[0].check.waivers");
    assert!(missing.what.contains("cannot be read"), "{missing}");

    let waiver = "[[waiver]]\nrule = \"CE-ID-2\"\nreason = \"r\"\nowner = \"team zaken\"\n";
    fs::write(&file, format!("{waiver}until = \"2020-13-01\"\nsort = 1\n")).unwrap();
    let problems = prove(&text, &[]).unwrap_err();
    let told: Vec<_> = problems.iter().map(|problem| &*problem.what).collect();
    let place = file.display();
    assert_eq!(told.len(), 2, "{problems}");
    for (line, words) in [(5, "no date"), (6, "unknown")] {
        let begin = format!("{place}:{line}: ");
        let is_told = told
            .iter()
            .any(|it| it.starts_with(&begin) && it.contains(words));
        assert!(is_told, "{line} {words}: {problems}");
    }

    for (until, warnings) in [("2020-01-01", 1), ("9999-12-31", 0)] {
        fs::write(&file, format!("{waiver}until = \"{until}\"\n")).unwrap();
        let plan = prove(&text, &[]).unwrap();
        assert_eq!(plan.warnings.len(), warnings, "{until}");
    }
}
